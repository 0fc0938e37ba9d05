package io.remora.metrics;

import io.remora.text.Pieces;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * The page of {@code /metrics}, made as fast as its reader takes it: with thousands of endpoints it is larger than the heap that a
 * sidecar has to spare.
 *
 * <p>Owner: one scrape, on the admin thread.
 */
final class MetricsPage implements Pieces {
    private final StringBuilder text;
    private final PrometheusText out;
    private final Queue<Part> parts = new ArrayDeque<>();

    /**
     * @param text which {@code out} writes to
     */
    MetricsPage(StringBuilder text, PrometheusText out) {
        this.text = text;
        this.out = out;
    }

    /** Adds a part behind those that were added before. */
    void add(Part part) {
        parts.add(part);
    }

    @Override
    public @Nullable CharSequence next() {
        text.setLength(0);
        while (text.length() < PIECE_CHARS && !parts.isEmpty()) {
            if (!parts.element().writeSome(out)) {
                parts.remove();
            }
        }
        return text.length() == 0 ? null : text;
    }

    /** A part of the page. */
    interface Part {
        /** Writes a little of it; returns whether that was not all. */
        boolean writeSome(PrometheusText out);
    }
}
