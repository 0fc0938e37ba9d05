package io.remora.metrics;

/** What {@code /metrics} says of counts, in a process of which nothing else is known. */
public final class Exposed {
    private Exposed() {}

    public static String text(Exposition exposition) {
        StringBuilder text = new StringBuilder();
        MemoryState memory = new MemoryState(-1, -1, -1, 0, 0, -1, -1, -1, -1, -1, -1, -1);
        exposition.appendMetrics(
                text, new RunState(true, -1, -1, -1, -1, memory, new ConfigState(1, 2_000, 3, 4, 0, "")));
        return text.toString();
    }
}
