package io.remora.json;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Command;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Python's reader of JSON and ours say the same of generated texts, good ones and damaged ones. */
final class JsonAgainstPythonIT {
    private static final int TEXTS = 20_000;
    private static final String VERDICTS = """
            import json, sys
            def refuse(word):
                raise ValueError(word)
            for line in open(sys.argv[1], encoding='utf-8'):
                try:
                    value = json.loads(line.rstrip('\\n'), parse_constant=refuse, object_pairs_hook=list)
                    json.dumps(value, ensure_ascii=False).encode('utf-8')
                    strings = value if isinstance(value, list) else []
                    print('good ' + ' '.join('%x' % ord(c) for s in strings if isinstance(s, str) for c in s))
                except ValueError:
                    print('bad')
            """;

    @TempDir
    Path directory;

    private final Random random = new Random(12);

    @Test
    void saysTheSameAsPython() throws IOException {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < TEXTS; i++) {
            String text = i % 2 == 0 ? value(0) : strings();
            texts.add(i % 4 < 2 ? text : damaged(text));
        }
        Path file = Files.write(directory.resolve("texts"), texts);
        Path program = Files.writeString(directory.resolve("verdicts.py"), VERDICTS);
        List<String> theirs = Command.run(directory, "python3", program.toString(), file.toString())
                .good()
                .lines()
                .toList();
        assertThat(theirs).hasSize(TEXTS);
        int bad = 0;
        for (int i = 0; i < TEXTS; i++) {
            String text = texts.get(i);
            String verdict = theirs.get(i).strip();
            assertThat(skips(text) ? "good" : "bad").as(text).isEqualTo(verdict.split(" ")[0]);
            if (i % 4 == 1) {
                assertThat(("good " + points(text)).strip()).as(text).isEqualTo(verdict);
            }
            bad += verdict.equals("bad") ? 1 : 0;
        }
        assertThat(bad).isBetween(TEXTS / 10, TEXTS * 6 / 10);
    }

    private static JsonReader reader(String text) {
        return new JsonReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), 1 << 20);
    }

    private static boolean skips(String text) throws IOException {
        JsonReader json = reader(text);
        try {
            if (!json.document()) {
                return false;
            }
            json.skip();
            return !json.document();
        } catch (JsonException e) {
            return false;
        }
    }

    private static String points(String text) throws IOException {
        JsonReader json = reader(text);
        assertThat(json.document() && json.array()).isTrue();
        StringBuilder points = new StringBuilder();
        while (json.item()) {
            json.text().codePoints().forEach(point -> points.append(' ').append(Integer.toHexString(point)));
        }
        return points.toString().strip();
    }

    // ---- texts

    private String value(int depth) {
        return switch (random.nextInt(depth > 4 ? 5 : 8)) {
            case 0 -> "null";
            case 1 -> random.nextBoolean() ? "true" : "false";
            case 2, 3 -> number();
            case 4 -> string();
            case 5 -> list(depth);
            default -> object(depth);
        };
    }

    private String number() {
        String number = (random.nextInt(3) == 0 ? "-" : "") + random.nextInt(random.nextBoolean() ? 10 : 1_000_000);
        number += random.nextInt(3) == 0 ? "." + random.nextInt(1_000) : "";
        return number + (random.nextInt(4) == 0 ? "e" + (random.nextBoolean() ? "-" : "") + random.nextInt(20) : "");
    }

    private String list(int depth) {
        StringBuilder list = new StringBuilder("[");
        for (int i = random.nextInt(4); i > 0; i--) {
            list.append(list.length() == 1 ? "" : ",").append(space()).append(value(depth + 1));
        }
        return list + space() + "]";
    }

    private String object(int depth) {
        StringBuilder object = new StringBuilder("{");
        for (int i = random.nextInt(4); i > 0; i--) {
            object.append(object.length() == 1 ? "" : ",").append(space()).append(string());
            object.append(space()).append(':').append(space()).append(value(depth + 1));
        }
        return object + space() + "}";
    }

    private String space() {
        return random.nextInt(4) == 0 ? " \t".substring(random.nextInt(2)) : "";
    }

    private String strings() {
        StringBuilder list = new StringBuilder("[");
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            list.append(list.length() == 1 ? "" : ",").append(string());
        }
        return list + "]";
    }

    private String string() {
        StringBuilder string = new StringBuilder("\"");
        for (int i = random.nextInt(8); i > 0; i--) {
            switch (random.nextInt(6)) {
                case 0 -> string.append('\\').append("\"\\/bfnrt".charAt(random.nextInt(8)));
                case 1 -> string.append("\\u%04x".formatted(random.nextInt(0xd800)));
                case 2 -> string.append("\\ud8%02x\\uDC%02X".formatted(random.nextInt(256), random.nextInt(256)));
                case 3 -> string.appendCodePoint(0x1f300 + random.nextInt(200));
                default -> string.append((char) ('a' + random.nextInt(26)));
            }
        }
        return string + "\"";
    }

    /** With one character more, less, or another one. */
    private String damaged(String text) {
        int at = random.nextInt(text.length() + 1);
        String some = "{}[]:,\"\\0123456789eE+-.truefalsn u";
        String more = "" + some.charAt(random.nextInt(some.length()));
        String before = text.substring(0, at);
        // no half of a character
        if (at > 0 && Character.isHighSurrogate(text.charAt(at - 1)) || at == text.length()) {
            return text + more;
        }
        boolean wide = Character.isHighSurrogate(text.charAt(at));
        String behind = text.substring(at + (wide ? 2 : 1));
        return switch (random.nextInt(3)) {
            case 0 -> before + more + text.substring(at);
            case 1 -> before + more + behind;
            default -> before + behind;
        };
    }
}
