package io.remora.http;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The trace that a request belongs to. Pure functions; loaded only on first use.
 *
 * <p>Spec: W3C Trace Context 3.2: a version, the trace's id, the parent's id and flags in lower-case hexadecimal. A
 * later version may have more behind a dash.
 */
public final class TraceParent {
    private static final int TRACE_AT = 3;
    private static final int TRACE_DIGITS = 32;
    private static final int PARENT_AT = 36;
    private static final int PARENT_DIGITS = 16;
    private static final int FLAGS_AT = 53;
    private static final int LENGTH = 55;

    private TraceParent() {}

    /** The trace's id in 32 digits; null where the field is missing, repeated or not valid. */
    public static @Nullable String traceId(Fields fields) {
        int line = fields.indexOf(FieldName.TRACEPARENT, 0);
        if (line < 0 || fields.indexOf(FieldName.TRACEPARENT, line + 1) >= 0) {
            return null;
        }
        byte[] octets = fields.array();
        int from = fields.valueStart(line);
        return isValid(octets, from, fields.valueEnd(line) - from)
                ? new String(octets, from + TRACE_AT, TRACE_DIGITS, StandardCharsets.ISO_8859_1)
                : null;
    }

    private static boolean isValid(byte[] octets, int from, int length) {
        if (length < LENGTH || !isHex(octets, from, 2) || octets[from] == 'f' && octets[from + 1] == 'f') {
            return false;
        }
        boolean first = octets[from] == '0' && octets[from + 1] == '0';
        if (length > LENGTH && (first || octets[from + LENGTH] != '-')) {
            return false;
        }
        return octets[from + TRACE_AT - 1] == '-'
                && octets[from + PARENT_AT - 1] == '-'
                && octets[from + FLAGS_AT - 1] == '-'
                && isId(octets, from + TRACE_AT, TRACE_DIGITS)
                && isId(octets, from + PARENT_AT, PARENT_DIGITS)
                && isHex(octets, from + FLAGS_AT, 2);
    }

    /** Returns whether the digits are an id; one of nothing but zeros is none. */
    private static boolean isId(byte[] octets, int from, int digits) {
        boolean zero = true;
        for (int i = from; i < from + digits; i++) {
            zero &= octets[i] == '0';
        }
        return !zero && isHex(octets, from, digits);
    }

    private static boolean isHex(byte[] octets, int from, int digits) {
        for (int i = from; i < from + digits; i++) {
            byte digit = octets[i];
            if (!(digit >= '0' && digit <= '9' || digit >= 'a' && digit <= 'f')) {
                return false;
            }
        }
        return true;
    }
}
