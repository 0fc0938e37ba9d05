package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class FieldsTest {
    /** As a parser does, from lines that are {@code name: value} or spaced otherwise. */
    private static Fields received(String... lines) {
        StringBuilder text = new StringBuilder();
        for (String line : lines) {
            text.append(line).append("\r\n");
        }
        byte[] octets = text.toString().getBytes(StandardCharsets.ISO_8859_1);
        Fields fields = Fields.received(lines.length);
        int start = 0;
        for (String line : lines) {
            int colon = line.indexOf(':');
            int value = colon
                    + 1
                    + line.substring(colon + 1).length()
                    - line.substring(colon + 1).stripLeading().length();
            int end = Math.max(value, line.stripTrailing().length());
            boolean plain = value == colon + 2 && line.charAt(colon + 1) == ' ' && end == line.length();
            fields.received(octets, start, start + colon, start + value, start + end, plain);
            start += line.length() + 2;
        }
        fields.seal(octets, start);
        return fields;
    }

    private static String written(Fields fields) {
        byte[] octets = new byte[fields.length() + 2];
        int end = fields.writeTo(octets, 1);
        assertThat(end).as("length").isEqualTo(octets.length - 1);
        return Octets.text(octets, 1, end);
    }

    private static String lines(String... lines) {
        return lines.length == 0 ? "" : String.join("\r\n", lines) + "\r\n";
    }

    @Test
    void whatWasReceivedGoesOutAsItCame() {
        assertThat(written(received("hOST: App", "X-A: 1", "x-a: 2", "X-Empty: ", "X-Latin: \u00e4")))
                .isEqualTo(lines("hOST: App", "X-A: 1", "x-a: 2", "X-Empty: ", "X-Latin: \u00e4"));
        assertThat(written(received())).isEmpty();
        assertThat(written(new Fields())).isEmpty();
    }

    @Test
    void whiteSpaceAroundAValueIsMadeOneSpaceBeforeIt() {
        assertThat(written(received("A:1", "B: 2", "C:  3", "D: 4 ", "E:", "F: 6", "G:\t7")))
                .isEqualTo(lines("A: 1", "B: 2", "C: 3", "D: 4", "E: ", "F: 6", "G: 7"));
    }

    @Test
    void namesAreFoundWithoutRegardToLetterCase() {
        Fields fields = received("content-LENGTH: 5", "x-UNKNOWN: a", "X-Unknown: b", "Via: 1.1 a");
        assertThat(fields.get(FieldName.CONTENT_LENGTH)).isEqualTo("5");
        assertThat(fields.get("Content-Length")).isEqualTo("5");
        assertThat(fields.getAll(FieldName.of("X-unknown"))).containsExactly("a", "b");
        assertThat(fields.contains(FieldName.of("x-unknown"))).isTrue();
        assertThat(fields.contains(FieldName.of("x-unknowm"))).isFalse();
        assertThat(fields.contains(FieldName.HOST)).isFalse();
        assertThat(fields.get(FieldName.HOST)).isNull();
        assertThat(fields.getAll(FieldName.HOST)).isEmpty();
        assertThat(fields.indexOf(FieldName.VIA, 0)).isEqualTo(3);
        assertThat(fields.indexOf(FieldName.VIA, 4)).isEqualTo(-1);
    }

    @Test
    void linesAreTakenOutByTheBeginningOfTheirNames() {
        Fields fields = received(
                "X-Forwarded-For: a", "A: b", "x-FORWARDED-x: c", "X-Forwarded: d", "X-Forwarded-For: e", "Via: f");
        fields.removePrefixed(Octets.of("x-forwarded-").array);
        assertThat(written(fields)).isEqualTo(lines("A: b", "X-Forwarded: d", "Via: f"));
        assertThat(fields.contains(FieldName.X_FORWARDED_FOR)).isFalse();
        assertThat(fields.isRepeated(FieldName.X_FORWARDED_FOR)).isFalse();
        assertThat(fields.contains(FieldName.VIA)).isTrue();
        assertThat(fields.contains(FieldName.of("a"))).isTrue();
        fields.add(FieldName.X_FORWARDED_FOR, "g");
        assertThat(written(fields)).isEqualTo(lines("A: b", "X-Forwarded: d", "Via: f", "X-Forwarded-For: g"));
        fields.removePrefixed(Octets.of("z").array);
        assertThat(fields.size()).isEqualTo(4);
    }

    @Test
    void valuesAreCompared() {
        Fields fields = received("X-A: One", "X-A: two");
        assertThat(fields.contains("x-a", "two", false)).isTrue();
        assertThat(fields.contains("x-a", "one", false)).isFalse();
        assertThat(fields.contains("x-a", "one", true)).isTrue();
        assertThat(fields.contains("x-a", "on", true)).isFalse();
    }

    @Test
    void repeatedNamesAreKnown() {
        assertThat(received("Host: a", "X: b").isRepeated(FieldName.HOST)).isFalse();
        assertThat(received("Host: a", "X: b", "hosT: a").isRepeated(FieldName.HOST))
                .isTrue();
    }

    @Test
    void linesAreAddedBehindTheOthers() {
        Fields fields = received("Host: a");
        fields.add(FieldName.VIA, "1.1 me");
        fields.add(FieldName.of("X-Own"), Octets.of("b"));
        fields.add(FieldName.VIA, "");
        assertThat(written(fields)).isEqualTo(lines("Host: a", "Via: 1.1 me", "X-Own: b", "Via: "));
        assertThat(fields.size()).isEqualTo(4);
    }

    @Test
    void aLineIsSetInTheFirstPlaceOfItsName() {
        Fields fields = received("A: 1", "X-B: 2", "C: 3", "x-b: 4", "D: 5");
        fields.set(FieldName.of("X-B"), "new");
        assertThat(written(fields)).isEqualTo(lines("A: 1", "X-B: new", "C: 3", "D: 5"));
        fields.set(FieldName.TE, "trailers");
        assertThat(written(fields)).isEqualTo(lines("A: 1", "X-B: new", "C: 3", "D: 5", "TE: trailers"));
        fields.set(FieldName.TE, Octets.of("x"));
        assertThat(fields.getAll(FieldName.TE)).containsExactly("x");
        assertThat(fields.isRepeated(FieldName.TE)).isFalse();
    }

    @Test
    void linesAreRemoved() {
        Fields fields = received("Via: 1", "A: 2", "via: 3", "Via: 4");
        fields.remove(FieldName.VIA);
        assertThat(written(fields)).isEqualTo(lines("A: 2"));
        assertThat(fields.contains(FieldName.VIA)).isFalse();
        fields.remove("a");
        fields.remove("a");
        assertThat(fields.isEmpty()).isTrue();
        fields.add(FieldName.VIA, "5");
        assertThat(written(fields)).isEqualTo(lines("Via: 5"));
    }

    @Test
    void elementsAreAppendedToOneLine() {
        Fields fields = received("X-Forwarded-For: 1", "A: 2", "x-forwarded-for: 3, 4");
        fields.append(FieldName.X_FORWARDED_FOR, Octets.of("5"));
        fields.append(FieldName.VIA, Octets.of("1.1 me"));
        assertThat(written(fields)).isEqualTo(lines("X-Forwarded-For: 1, 3, 4, 5", "A: 2", "Via: 1.1 me"));
    }

    @Test
    void aMarkBelongsToItsLine() {
        Fields fields = received("X-Forwarded-For: 1", "A: 2", "B: 3", "X-Forwarded-For: 4");
        fields.neverIndex();
        fields.add(FieldName.VIA, "5");
        fields.remove("A");
        assertThat(fields.isNeverIndexed(2)).isTrue();
        Fields copy = fields.copy();
        fields.append(FieldName.X_FORWARDED_FOR, Octets.of("6"));
        assertThat(written(fields)).isEqualTo(lines("X-Forwarded-For: 1, 4, 6", "B: 3", "Via: 5"));
        for (int i = 0; i < fields.size(); i++) {
            // what is made of a secret is one
            assertThat(fields.isNeverIndexed(i)).isEqualTo(i == 0);
        }
        fields.set(FieldName.X_FORWARDED_FOR, "7");
        assertThat(fields.isNeverIndexed(0)).isFalse();
        assertThat(copy.isNeverIndexed(0)).isFalse();
        assertThat(copy.isNeverIndexed(2)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\rb", "a\nb", "a\0b", "\r\n", "a\u0100", "\u010a"})
    void aValueThatWouldNotStayOneIsRefused(String value) {
        Fields fields = received("A: 1");
        assertThatThrownBy(() -> fields.add(FieldName.VIA, value)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> fields.set(FieldName.VIA, value)).isInstanceOf(IllegalArgumentException.class);
        if (value.chars().allMatch(character -> character < 0x100)) {
            assertThatThrownBy(() -> fields.append(FieldName.VIA, Octets.of(value)))
                    .isInstanceOf(IllegalArgumentException.class);
        }
        fields.add(FieldName.VIA, "b");
        assertThat(written(fields)).isEqualTo(lines("A: 1", "Via: b"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a:", "a\r", "\u00e4", "a\u0100"})
    void aNameIsAToken(String name) {
        assertThatThrownBy(() -> FieldName.of(name)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aConstantIsFoundByItsText() {
        assertThat(FieldName.of("transfer-encoding")).isSameAs(FieldName.TRANSFER_ENCODING);
        assertThat(FieldName.of("X-Request-Id")).isSameAs(FieldName.X_REQUEST_ID);
        assertThat(FieldName.of("X-Request-Ie")).hasToString("X-Request-Ie");
    }

    /** Any order of changes says the same as it does on a plain list. */
    @Test
    void manyChanges() {
        Random random = new Random(7);
        String[] names = {"Via", "X-A", "TE", "X-Longer-Name-Than-Any-Constant", "Host"};
        for (int round = 0; round < 500; round++) {
            Fields fields = received("Via: a", "X-A:b", "Host: c", "via: d", "Other: e");
            List<String> expected = new ArrayList<>(List.of("Via: a", "X-A: b", "Host: c", "via: d", "Other: e"));
            for (int change = 0; change < 20; change++) {
                String name = names[random.nextInt(names.length)];
                String value = "v".repeat(random.nextInt(60));
                change(fields, expected, random.nextInt(4), name, value);
                assertThat(written(fields)).isEqualTo(lines(expected.toArray(new String[0])));
                assertThat(fields.contains(FieldName.of(name)))
                        .isEqualTo(expected.stream().anyMatch(line -> isNamed(line, name)));
            }
        }
    }

    private static void change(Fields fields, List<String> expected, int kind, String name, String value) {
        int first = -1;
        for (int i = expected.size() - 1; i >= 0; i--) {
            first = isNamed(expected.get(i), name) ? i : first;
        }
        if (kind == 0) {
            fields.remove(FieldName.of(name));
            expected.removeIf(line -> isNamed(line, name));
        } else if (kind == 1 || first < 0) {
            fields.add(FieldName.of(name), value);
            expected.add(name + ": " + value);
        } else if (kind == 2) {
            fields.set(FieldName.of(name), value);
            expected.removeIf(line -> isNamed(line, name));
            expected.add(first, name + ": " + value);
        } else {
            fields.append(FieldName.of(name), Octets.of(value));
            StringBuilder joined = new StringBuilder(name + ": ");
            expected.stream().filter(line -> isNamed(line, name)).forEach(line -> joined.append(
                            line.substring(name.length() + 2))
                    .append(", "));
            expected.removeIf(line -> isNamed(line, name));
            expected.add(first, joined + value);
        }
    }

    private static boolean isNamed(String line, String name) {
        return line.regionMatches(true, 0, name + ":", 0, name.length() + 1);
    }
}
