package io.remora.metrics;

import io.remora.text.Pieces;

/** Pages as their readers put them together, and what {@code /metrics} says of counts in a process of which nothing else is known. */
public final class Exposed {
    private Exposed() {}

    public static String text(Exposition exposition) {
        MemoryState memory = new MemoryState(-1, -1, -1, 0, 0, -1, -1, -1, -1, -1, -1, -1, 0);
        return text(exposition.metrics(
                new RunState(true, -1, -1, -1, -1, -1, memory, new ConfigState(1, 2_000, 3, 4, 0, ""))));
    }

    /** All that is left of a page. */
    static String text(Pieces page) {
        StringBuilder text = new StringBuilder();
        for (CharSequence piece = page.next(); piece != null; piece = page.next()) {
            text.append(piece);
        }
        return text.toString();
    }
}
