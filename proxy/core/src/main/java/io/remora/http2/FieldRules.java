package io.remora.http2;

import io.remora.http.Octets;
import io.remora.http2.hpack.FieldSection;
import io.remora.http2.hpack.LineFacts;

/**
 * The rules for single field lines that {@link LineFacts} do not tell. Pure functions.
 *
 * <p>Spec: RFC 9113 sections 8.2.1 and 8.2.2.
 */
final class FieldRules {
    private static final byte[] TRAILERS = Octets.of("trailers").array;

    private FieldRules() {}

    /** Returns the bits of {@link LineFacts} that number the name of a line. */
    static int name(FieldSection section, int line) {
        return section.facts(line) & LineFacts.NAME;
    }

    static int valueLength(FieldSection section, int line) {
        return section.valueEnd(line) - section.valueStart(line);
    }

    static boolean isEmpty(FieldSection section, int line) {
        return valueLength(section, line) == 0;
    }

    /** Returns whether the value is a token. */
    static boolean isToken(FieldSection section, int line) {
        int from = section.valueStart(line);
        int to = section.valueEnd(line);
        return from < to && Octets.endOfToken(section.array(), from, to) == to;
    }

    /** Returns whether the value is this text, letter case included. */
    static boolean isValue(FieldSection section, int line, String text) {
        int length = text.length();
        byte[] array = section.array();
        int from = section.valueStart(line);
        boolean same = valueLength(section, line) == length;
        for (int i = 0; same && i < length; i++) {
            same = array[from + i] == text.charAt(i);
        }
        return same;
    }

    /** Returns whether the value is this text in lower case, letter case aside. */
    static boolean isValueIgnoreCase(FieldSection section, int line, byte[] lower) {
        return Octets.equalsIgnoreCase(section.array(), section.valueStart(line), section.valueEnd(line), lower);
    }

    /** Returns whether two lines have the same value, letter case aside. */
    static boolean isSame(FieldSection section, int line, int other) {
        byte[] array = section.array();
        int length = valueLength(section, line);
        int from = section.valueStart(line);
        int otherFrom = section.valueStart(other);
        boolean same = length == valueLength(section, other);
        for (int i = 0; same && i < length; i++) {
            same = Octets.toLower(array[from + i]) == Octets.toLower(array[otherFrom + i]);
        }
        return same;
    }

    /** Returns whether a line of TE says that trailers are taken. */
    static boolean takesTrailers(FieldSection section, int line) {
        return isValueIgnoreCase(section, line, TRAILERS);
    }
}
