package io.remora.feature.tracing;

import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.text.Hex;
import org.jspecify.annotations.Nullable;

/**
 * The field b3, and the fields X-B3-* that say the same. A trace's id of sixteen digits is one whose first half is zero, and goes on with
 * sixteen.
 *
 * <p>Spec: openzipkin/b3-propagation.
 */
final class B3Fields {
    static final FieldName SINGLE = FieldName.of("b3");
    static final FieldName TRACE = FieldName.of("X-B3-TraceId");
    static final FieldName SPAN = FieldName.of("X-B3-SpanId");
    static final FieldName PARENT = FieldName.of("X-B3-ParentSpanId");
    static final FieldName SAMPLED = FieldName.of("X-B3-Sampled");
    static final FieldName FLAGS = FieldName.of("X-B3-Flags");

    private static final int LONG = Hex.LONG_DIGITS;
    /** Length of the longest value: {@code TRACE-SPAN-1-PARENT}. */
    static final int MAX_OCTETS = 4 * LONG + 4;
    /** The most octets of the line b3. */
    static final int SINGLE_OCTETS = SINGLE.length() + Fields.FRAME_OCTETS + MAX_OCTETS;
    /** The most lines of the form with a line for each value. */
    static final int MULTI_LINES = 4;
    /** The most octets of these lines. */
    static final int MULTI_OCTETS = TRACE.length()
            + SPAN.length()
            + PARENT.length()
            + SAMPLED.length()
            + MULTI_LINES * Fields.FRAME_OCTETS
            + 4 * LONG
            + 1;

    private B3Fields() {}

    // ---- in one field

    /** Tells whether what the request says is well-formed, which may be no more than a decision. */
    static boolean readSingle(Fields fields, TraceContext into) {
        Octets value = only(fields, SINGLE);
        if (value == null) {
            return false;
        }
        byte[] octets = value.array;
        int at = value.start;
        if (value.length() == 1) {
            return decide(octets[at], into);
        }
        int dash = at;
        while (dash < value.end && octets[dash] != '-') {
            dash++;
        }
        if (!readTrace(octets, at, dash, into)
                || !readSpan(octets, dash + 1, Math.min(dash + 1 + LONG, value.end), into)) {
            return false;
        }
        return isDecision(octets, dash + 1 + LONG, value.end, into);
    }

    // nothing, -1, or -1-PARENT
    private static boolean isDecision(byte[] octets, int from, int end, TraceContext into) {
        if (from == end) {
            return true;
        }
        if (end - from < 2 || octets[from] != '-' || !decide(octets[from + 1], into)) {
            return false;
        }
        int parent = from + 2;
        return parent == end
                || end - parent == 1 + LONG && octets[parent] == '-' && readParent(octets, parent + 1, end, into);
    }

    private static boolean decide(byte octet, TraceContext into) {
        into.sampled = octet == '0' ? TraceContext.NO : TraceContext.YES;
        return octet == '0' || octet == '1' || octet == 'd';
    }

    // ---- in several

    /** Reads the fields X-B3-* in the same way. */
    static boolean readMulti(Fields fields, TraceContext into) {
        if (!readDecision(fields, into)) {
            return false;
        }
        if (!fields.contains(TRACE) && !fields.contains(SPAN) && !fields.contains(PARENT)) {
            return into.sampled != TraceContext.UNDECIDED;
        }
        Octets trace = only(fields, TRACE);
        Octets span = only(fields, SPAN);
        Octets parent = only(fields, PARENT);
        boolean hasParent = parent != null && readParent(parent.array, parent.start, parent.end, into);
        return trace != null
                && span != null
                && (hasParent || !fields.contains(PARENT))
                && readTrace(trace.array, trace.start, trace.end, into)
                && readSpan(span.array, span.start, span.end, into);
    }

    private static boolean readDecision(Fields fields, TraceContext into) {
        if (fields.contains(FLAGS)) {
            Octets flags = only(fields, FLAGS);
            if (flags == null || flags.length() != 1) {
                return false;
            }
            byte flag = flags.array[flags.start];
            if (flag == '1') {
                into.sampled = TraceContext.YES;
                return true;
            }
            if (flag != '0') {
                return false;
            }
        }
        if (!fields.contains(SAMPLED)) {
            return true;
        }
        Octets sampled = only(fields, SAMPLED);
        String text = sampled == null ? "" : sampled.toString();
        // the words are of old
        boolean yes = text.equals("1") || text.equals("true");
        into.sampled = yes ? TraceContext.YES : TraceContext.NO;
        return yes || text.equals("0") || text.equals("false");
    }

    private static @Nullable Octets only(Fields fields, FieldName name) {
        int line = fields.indexOf(name, 0);
        return line < 0 || fields.indexOf(name, line + 1) >= 0
                ? null
                : new Octets(fields.array(), fields.valueStart(line), fields.valueEnd(line));
    }

    private static boolean readTrace(byte[] octets, int from, int to, TraceContext into) {
        int digits = to - from;
        if (digits != LONG && digits != 2 * LONG || !Hex.isHex(octets, from, to)) {
            return false;
        }
        into.high = digits == LONG ? 0 : Hex.read(octets, from, from + LONG);
        into.low = Hex.read(octets, to - LONG, to);
        return into.hasId();
    }

    private static boolean readSpan(byte[] octets, int from, int to, TraceContext into) {
        if (to - from != LONG || !Hex.isHex(octets, from, to)) {
            return false;
        }
        into.parent = Hex.read(octets, from, to);
        return into.parent != 0;
    }

    // zeros are as good as nothing
    private static boolean readParent(byte[] octets, int from, int to, TraceContext into) {
        if (to - from != LONG || !Hex.isHex(octets, from, to)) {
            return false;
        }
        into.grandparent = Hex.read(octets, from, to);
        return true;
    }

    // ---- to the backend

    /**
     * @param into where the value is put together
     * @param parent of the span; 0 for none
     */
    static void writeSingle(Fields fields, byte[] into, long high, long low, long span, long parent, boolean sampled) {
        int at = writeTrace(into, high, low);
        into[at++] = '-';
        at = Hex.write(into, at, span);
        into[at++] = '-';
        into[at++] = decision(sampled);
        if (parent != 0) {
            into[at++] = '-';
            at = Hex.write(into, at, parent);
        }
        set(fields, SINGLE, into, at);
    }

    /** Writes the fields X-B3-* in the same way. */
    static void writeMulti(Fields fields, byte[] into, long high, long low, long span, long parent, boolean sampled) {
        fields.remove(FLAGS);
        set(fields, TRACE, into, writeTrace(into, high, low));
        set(fields, SPAN, into, Hex.write(into, 0, span));
        into[0] = decision(sampled);
        set(fields, SAMPLED, into, 1);
        if (parent == 0) {
            fields.remove(PARENT);
        } else {
            set(fields, PARENT, into, Hex.write(into, 0, parent));
        }
    }

    private static int writeTrace(byte[] into, long high, long low) {
        return Hex.write(into, high == 0 ? 0 : Hex.write(into, 0, high), low);
    }

    private static byte decision(boolean sampled) {
        return (byte) (sampled ? '1' : '0');
    }

    private static void set(Fields fields, FieldName name, byte[] value, int length) {
        fields.setVouched(name, value, length);
    }
}
