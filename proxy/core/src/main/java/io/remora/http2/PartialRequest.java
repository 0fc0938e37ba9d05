package io.remora.http2;

import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Methods;
import io.remora.http.Octets;
import io.remora.http2.hpack.FieldSection;
import io.remora.http2.hpack.LineFacts;
import java.util.Arrays;

/**
 * The part of a refused request's head that could be read, for the access log: it goes nowhere else. Pure functions.
 *
 * <p>Bounds: a kilobyte of the target and of each field.
 */
final class PartialRequest {
    private static final int MOST_OCTETS = 1_024;
    private static final int MOST_METHOD = 32;
    private static final String[] LOGGED = {"referer", "user-agent", "traceparent", "x-request-id"};

    private PartialRequest() {}

    /**
     * @param line of the method, negative for none
     */
    static String method(FieldSection section, int line) {
        if (line < 0 || FieldRules.valueLength(section, line) > MOST_METHOD || !FieldRules.isToken(section, line)) {
            return "-";
        }
        return Methods.of(section.array(), section.valueStart(line), section.valueEnd(line));
    }

    /** Returns a copy of a line's value, cut. */
    static Octets cut(FieldSection section, int line) {
        int from = section.valueStart(line);
        int to = Math.min(section.valueEnd(line), from + MOST_OCTETS);
        return Octets.of(Arrays.copyOfRange(section.array(), from, to));
    }

    static Fields logged(FieldSection section) {
        Fields kept = new Fields();
        for (int i = 0; i < section.count(); i++) {
            for (String name : LOGGED) {
                if (isNamed(section, i, name) && (section.facts(i) & LineFacts.BAD_VALUE) == 0) {
                    kept.add(FieldName.of(name), cut(section, i));
                }
            }
        }
        return kept;
    }

    private static boolean isNamed(FieldSection section, int line, String name) {
        int start = section.nameStart(line);
        int length = name.length();
        boolean same = section.nameEnd(line) - start == length;
        for (int i = 0; same && i < length; i++) {
            same = section.array()[start + i] == name.charAt(i);
        }
        return same;
    }
}
