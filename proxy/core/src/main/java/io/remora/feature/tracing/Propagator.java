package io.remora.feature.tracing;

import io.remora.feature.tracing.TracingConfig.Propagation;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import java.util.List;

/**
 * Reader and writer of trace contexts in requests, in the forms that the configuration names.
 *
 * <p>Order: a request continues the trace of the first form that it has well-formed; what it says in the others is overwritten.
 *
 * <p>Owner: one event loop.
 */
final class Propagator {
    private final Propagation[] forms;
    /** Value of the field that is being written. */
    private final byte[] value = new byte[B3Fields.MAX_OCTETS];

    Propagator(List<Propagation> forms) {
        this.forms = forms.toArray(new Propagation[0]);
    }

    /** Returns how many lines it writes. */
    int lines() {
        int lines = 0;
        for (Propagation form : forms) {
            lines += form == Propagation.B3_MULTI ? B3Fields.MULTI_LINES : 1;
        }
        return lines;
    }

    /** Returns the most octets of the lines that it writes. */
    int octets() {
        int octets = 0;
        for (Propagation form : forms) {
            octets += switch (form) {
                case W3C -> W3cFields.LINE_OCTETS;
                case B3 -> B3Fields.SINGLE_OCTETS;
                case B3_MULTI -> B3Fields.MULTI_OCTETS;
            };
        }
        return octets;
    }

    /** Reads the request's trace context into {@code into}, which has no id where there is none, or a malformed one. */
    void read(Fields fields, TraceContext into) {
        boolean found = false;
        for (Propagation form : forms) {
            if (!found) {
                into.clear();
                found = read(form, fields, into);
            } else if (form == Propagation.W3C) {
                // it belongs to another word than the one that counts
                fields.remove(FieldName.TRACESTATE);
            }
        }
        if (!found) {
            into.clear();
        }
    }

    private static boolean read(Propagation form, Fields fields, TraceContext into) {
        return switch (form) {
            case W3C -> W3cFields.read(fields, into);
            case B3 -> B3Fields.readSingle(fields, into);
            case B3_MULTI -> B3Fields.readMulti(fields, into);
        };
    }

    /**
     * @param high of the trace's id
     * @param low of the trace's id
     * @param parent of the span; 0 for none
     */
    void write(Fields fields, long high, long low, long span, long parent, boolean sampled) {
        for (Propagation form : forms) {
            switch (form) {
                case W3C -> W3cFields.write(fields, value, high, low, span, sampled);
                case B3 -> B3Fields.writeSingle(fields, value, high, low, span, parent, sampled);
                case B3_MULTI -> B3Fields.writeMulti(fields, value, high, low, span, parent, sampled);
            }
        }
    }
}
