package io.remora.http1;

import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;

/**
 * The names that a Connection field nominates, as bits of an integer.
 *
 * <p>Spec: RFC 9110 sections 5.6.1 and 7.6.1; empty elements are passed over.
 */
final class ConnectionOptions {
    static final int CLOSE = 1;
    static final int KEEP_ALIVE = 2;
    static final int UPGRADE = 4;
    static final int TE = 8;
    /** Any other name, to be looked up in the field itself. */
    static final int OTHER = 16;
    /** More other names than {@link #MOST_OTHERS}: each is looked for in every field, and kept for the trailers. */
    static final int TOO_MANY = 32;

    /** Bound on other names, as 16,000 took a megabyte and milliseconds of the loop a request. */
    private static final int MOST_OTHERS = 32;

    private static final byte[][] NAMES = {
        Octets.of("close").array, Octets.of("keep-alive").array, Octets.of("upgrade").array, Octets.of("te").array
    };

    private ConnectionOptions() {}

    /** Returns the options of all lines of the field. */
    static int of(Fields fields) {
        int options = 0;
        int others = 0;
        for (int line = fields.indexOf(FieldName.CONNECTION, 0);
                line >= 0;
                line = fields.indexOf(FieldName.CONNECTION, line + 1)) {
            byte[] octets = fields.array();
            int start = fields.valueStart(line);
            int to = fields.valueEnd(line);
            while (start < to) {
                int end = Octets.endOfElement(octets, start, to);
                int option = option(octets, Octets.endOfBlanks(octets, start, end), end);
                others += option == OTHER ? 1 : 0;
                options |= option;
                start = end + 1;
            }
        }
        return others > MOST_OTHERS ? options | TOO_MANY : options;
    }

    /** True where the fields have a Connection field that nominates more than anybody needs to. */
    static boolean areTooMany(Fields fields) {
        return fields.contains(FieldName.CONNECTION) && (of(fields) & TOO_MANY) != 0;
    }

    private static int option(byte[] octets, int start, int to) {
        int end = Octets.startOfBlanks(octets, start, to);
        for (int i = 0; i < NAMES.length; i++) {
            if (Octets.equalsIgnoreCase(octets, start, end, NAMES[i])) {
                return 1 << i;
            }
        }
        return start == end ? 0 : OTHER;
    }
}
