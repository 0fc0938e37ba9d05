package io.remora;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** ARCHITECTURE.md, and the table of packages that it has. */
final class ArchitecturePage {
    static final Path FILE = Path.of("../../ARCHITECTURE.md");
    private static final Path SOURCES = Path.of("src/main/java/io/remora");
    private static final String BEGIN = "<!-- packages -->";
    private static final String END = "<!-- /packages -->";

    /** The first sentence of a package's comment. */
    private static final Pattern SENTENCE = Pattern.compile("(?s)/\\*\\*\\s(.+?[.])(\\s|\\*/)");

    private static final Pattern TAG = Pattern.compile("\\{@(code|link) ([^}]+)}");

    private ArchitecturePage() {}

    /** Returns the page as it is with the table of these declarations: by package, the others that it may use. */
    static List<String> with(Map<String, List<String>> uses) throws IOException {
        List<String> lines = Files.readAllLines(FILE);
        List<String> made = new ArrayList<>(lines.subList(0, lines.indexOf(BEGIN) + 1));
        made.add("| package | content | may use |");
        made.add("|---|---|---|");
        List<String> packages = uses.keySet().stream()
                .sorted(Comparator.comparingInt((String name) -> -layer(name, uses))
                        .thenComparing(Comparator.naturalOrder()))
                .toList();
        for (String name : packages) {
            List<String> used = uses.get(name).stream().sorted().toList();
            made.add("| `" + name + "` | " + content(name) + " | " + uses(used) + " |");
        }
        made.addAll(lines.subList(lines.indexOf(END), lines.size()));
        return made;
    }

    private static String uses(List<String> used) {
        return used.isEmpty() ? "" : "`" + String.join(", ", used) + "`";
    }

    /** Returns how many layers are below a package; one that names a room uses all packages within. */
    private static int layer(String name, Map<String, List<String>> uses) {
        return uses.get(name).stream()
                .flatMap(used -> uses.containsKey(used) ? Stream.of(used) : within(used, uses))
                .mapToInt(used -> 1 + layer(used, uses))
                .max()
                .orElse(0);
    }

    private static Stream<String> within(String room, Map<String, List<String>> uses) {
        return uses.keySet().stream().filter(name -> name.startsWith(room + "."));
    }

    private static String content(String name) throws IOException {
        String source = Files.readString(SOURCES.resolve(name.replace('.', '/')).resolve("package-info.java"));
        Matcher sentence = SENTENCE.matcher(source);
        if (!sentence.find()) {
            throw new IllegalStateException("no comment in package-info.java of " + name);
        }
        String text = sentence.group(1).replaceAll("\\s+(\\* ?)?", " ").replaceFirst("^ ?(\\* )?", "");
        return TAG.matcher(text)
                .replaceAll(tag -> "`" + tag.group(2).replaceFirst("^io\\.remora\\.(?=[a-z])", "") + "`");
    }
}
