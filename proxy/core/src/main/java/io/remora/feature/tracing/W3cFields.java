package io.remora.feature.tracing;

import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.text.Hex;

/**
 * The fields traceparent and tracestate.
 *
 * <p>Spec: W3C Trace Context, Level 1, sections 3.2 and 3.3. Bounds: {@link TraceState}.
 */
final class W3cFields {
    private static final int VERSION_END = 2;
    private static final int TRACE = 3;
    private static final int TRACE_MIDDLE = TRACE + Hex.LONG_DIGITS;
    private static final int TRACE_END = TRACE_MIDDLE + Hex.LONG_DIGITS;
    private static final int PARENT = TRACE_END + 1;
    private static final int PARENT_END = PARENT + Hex.LONG_DIGITS;
    private static final int FLAGS = PARENT_END + 1;
    private static final int LENGTH = FLAGS + 2;
    private static final long SAMPLED = 1;
    /** Octets of the line traceparent. */
    static final int LINE_OCTETS = FieldName.TRACEPARENT.length() + Fields.FRAME_OCTETS + LENGTH;

    private W3cFields() {}

    /** Reads what the request says; tells whether that is well-formed. Where it is not, no tracestate belongs to it either. */
    static boolean read(Fields fields, TraceContext into) {
        int line = fields.indexOf(FieldName.TRACEPARENT, 0);
        if (line >= 0 && fields.indexOf(FieldName.TRACEPARENT, line + 1) < 0 && read(fields, line, into)) {
            TraceState.clean(fields);
            return true;
        }
        fields.remove(FieldName.TRACESTATE);
        return false;
    }

    private static boolean read(Fields fields, int line, TraceContext into) {
        byte[] octets = fields.array();
        int at = fields.valueStart(line);
        int length = fields.valueEnd(line) - at;
        if (length < LENGTH || !isWellFormed(octets, at, length)) {
            return false;
        }
        into.high = Hex.read(octets, at + TRACE, at + TRACE_MIDDLE);
        into.low = Hex.read(octets, at + TRACE_MIDDLE, at + TRACE_END);
        into.parent = Hex.read(octets, at + PARENT, at + PARENT_END);
        boolean sampled = (Hex.read(octets, at + FLAGS, at + LENGTH) & SAMPLED) != 0;
        into.sampled = sampled ? TraceContext.YES : TraceContext.NO;
        return into.hasId() && into.parent != 0;
    }

    private static boolean isWellFormed(byte[] octets, int at, int length) {
        boolean framed =
                octets[at + VERSION_END] == '-' && octets[at + TRACE_END] == '-' && octets[at + PARENT_END] == '-';
        if (!framed
                || !Hex.isHex(octets, at, at + VERSION_END)
                || !Hex.isHex(octets, at + TRACE, at + TRACE_END)
                || !Hex.isHex(octets, at + PARENT, at + PARENT_END)
                || !Hex.isHex(octets, at + FLAGS, at + LENGTH)) {
            return false;
        }
        long version = Hex.read(octets, at, at + VERSION_END);
        // a later version may go on after what this one has
        boolean ends = version == 0 ? length == LENGTH : length == LENGTH || octets[at + LENGTH] == '-';
        return ends && version != 0xff;
    }

    /**
     * @param into where the value is put together
     */
    static void write(Fields fields, byte[] into, long high, long low, long span, boolean sampled) {
        into[0] = '0';
        into[1] = '0';
        into[VERSION_END] = '-';
        into[Hex.write(into, Hex.write(into, TRACE, high), low)] = '-';
        into[Hex.write(into, PARENT, span)] = '-';
        into[FLAGS] = '0';
        into[FLAGS + 1] = (byte) (sampled ? '1' : '0');
        fields.setVouched(FieldName.TRACEPARENT, into, LENGTH);
    }
}
