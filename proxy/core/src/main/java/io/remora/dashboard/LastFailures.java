package io.remora.dashboard;

import io.remora.json.JsonWriter;
import io.remora.metrics.WatchedFailure;
import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The last exchanges that failed, as JSON.
 *
 * <p>Owner: the admin thread. Bounds: {@value #KEPT} for a viewer that comes, {@value #EACH} in an event, and
 * {@value #WAITING} that wait for the next ones; of more, the oldest are dropped.
 */
final class LastFailures implements Consumer<WatchedFailure> {
    private static final int KEPT = 10;
    private static final int EACH = 3 * LivePage.PERIOD;
    private static final int WAITING = 8;
    private static final int TEXT_CHARS = 120;
    private static final long NS_PER_US = 1_000;

    private final ArrayDeque<String> sent = new ArrayDeque<>(KEPT + 1);
    private final ArrayDeque<String> waiting = new ArrayDeque<>(WAITING + 1);

    @Override
    public void accept(WatchedFailure failure) {
        waiting.add(json(failure));
        if (waiting.size() > WAITING) {
            waiting.remove();
        }
    }

    private static String json(WatchedFailure failure) {
        StringBuilder out = new StringBuilder("[").append(failure.atMs());
        text(out, failure.listener());
        text(out, failure.route());
        text(out, failure.endpoint());
        text(out, failure.client());
        out.append(',').append(failure.status());
        text(out, failure.failure());
        text(out, failure.rule());
        text(out, failure.attempt());
        return out.append(',').append(failure.totalNs() / NS_PER_US).append(']').toString();
    }

    private static void text(StringBuilder out, @Nullable String text) {
        out.append(',');
        if (text == null || text.isEmpty()) {
            out.append("null");
        } else {
            JsonWriter.quote(cut(text), out);
        }
    }

    /** Returns a text that may come from elsewhere, with an end. */
    static String cut(String text) {
        return text.length() <= TEXT_CHARS ? text : text.substring(0, TEXT_CHARS) + "...";
    }

    /** Appends those that viewers do not have, the oldest first, as a member before others; nothing where there are none. */
    void appendNew(StringBuilder out) {
        for (int i = 0; i < EACH && !waiting.isEmpty(); i++) {
            String one = waiting.remove();
            out.append(i == 0 ? "\"f\":[" : ",").append(one);
            sent.add(one);
            if (sent.size() > KEPT) {
                sent.remove();
            }
            if (i == EACH - 1 || waiting.isEmpty()) {
                out.append("],");
            }
        }
    }

    /** Appends those that viewers have, as a member of an object. */
    void appendSent(StringBuilder out) {
        out.append(",\"f\":[").append(String.join(",", sent)).append(']');
    }
}
