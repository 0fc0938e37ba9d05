package io.remora.feature.tracing;

import org.jspecify.annotations.Nullable;

/**
 * Writes spans in the form of a collector.
 *
 * <p>Order: {@link #begin}, attributes, {@link #end}; between two spans stands a comma, before the first of a delivery the {@link #head},
 * after the last one the {@link #tail}.
 *
 * <p>Owner: one event loop.
 */
abstract class SpanWriter {
    final JsonBuffer out;
    private boolean attributed;

    SpanWriter(JsonBuffer out) {
        this.out = out;
    }

    /** Returns the beginning of a delivery. */
    abstract String head();

    /** Returns the end of a delivery. */
    abstract String tail();

    final void begin(
            long traceHigh,
            long traceLow,
            long id,
            long parent,
            String name,
            boolean client,
            long startUs,
            long durationUs) {
        attributed = false;
        out.raw("{\"traceId\":").id(traceHigh, traceLow).raw(",");
        times(id, parent, name, client, startUs, durationUs);
    }

    abstract void times(long id, long parent, String name, boolean client, long startUs, long durationUs);

    /** Writes the peer at the other end; called before any attribute, and only where the peer is known. */
    abstract void peer(@Nullable String service, String address, int port);

    /** Attributes follow. */
    abstract void attributes();

    final void attribute(String key, @Nullable String value) {
        if (value != null && !value.isEmpty()) {
            comma();
            text(key, value);
        }
    }

    final void attribute(String key, long value) {
        if (value >= 0) {
            comma();
            number(key, value);
        }
    }

    private void comma() {
        if (attributed) {
            out.raw(",");
        }
        attributed = true;
    }

    abstract void text(String key, String value);

    abstract void number(String key, long value);

    /**
     * @param error what went wrong, null for nothing
     */
    abstract void end(@Nullable String error);
}
