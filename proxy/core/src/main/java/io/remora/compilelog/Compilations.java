package io.remora.compilelog;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Totals of a log, by second, method, level and reason.
 *
 * <p>Bounds: those of {@link Timeline}, {@link RowTable}, {@link ReasonCounts} and {@link CompileIds}, which fit a heap of 64 MiB.
 */
final class Compilations {
    /** The level of tasks that do not name one, as it is the highest that the VM has. */
    static final int HIGHEST = 0;

    private static final int LEVELS = 5;
    private static final int MAX_METHODS = 16_384;
    private static final int MAX_CALLEES = 8_192;
    private static final int MAX_TRAPS = 4_096;
    private static final int MAX_THREADS = 64;
    private static final int MAX_FILES = 8;

    final Window window;
    final Timeline timeline = new Timeline();
    final CompileIds ids = new CompileIds();
    final RowTable<MethodRow> methods = new RowTable<>(MAX_METHODS, MethodRow::new);
    final RowTable<CalleeRow> callees = new RowTable<>(MAX_CALLEES, CalleeRow::new);
    final RowTable<TrapRow> traps = new RowTable<>(MAX_TRAPS, TrapRow::new);
    final ReasonCounts failures = new ReasonCounts();
    final ReasonCounts causes = new ReasonCounts();
    final ReasonCounts inlined = new ReasonCounts();
    final ReasonCounts notInlined = new ReasonCounts();
    final LogFacts facts = new LogFacts();
    /** Compile threads by name; a VM may end and start them. */
    final Map<String, Integer> threads = new TreeMap<>();
    /** Files of compile threads that the VM names. */
    final List<String> threadFiles = new ArrayList<>();

    private final LevelTotals[] levels = new LevelTotals[LEVELS];
    private final long[] totals = new long[Count.values().length];

    Compilations(Window window) {
        this.window = window;
        for (int i = 0; i < LEVELS; i++) {
            levels[i] = new LevelTotals();
        }
    }

    /** Counts an event of the window. */
    void count(Count count, long timeMs, long number) {
        totals[count.place] += number;
        timeline.at(timeMs).add(count, number);
    }

    /** Counts a duration in each second of the window in which it lies. */
    void spread(Count count, long fromMs, long toMs) {
        long from = window.clip(fromMs);
        long to = window.clip(toMs);
        if (to > from) {
            totals[count.place] += to - from;
            timeline.spread(count, from, to);
        }
    }

    long total(Count count) {
        return totals[count.place];
    }

    long compiled() {
        long compiled = 0;
        for (int level = 1; level < LEVELS; level++) {
            compiled += total(Count.ofLevel(level));
        }
        return compiled;
    }

    /** Returns the totals of a level from 1 to 4, or of {@link #HIGHEST}. */
    LevelTotals level(long level) {
        return levels[level >= 0 && level < LEVELS ? (int) level : HIGHEST];
    }

    /** Returns the highest level of the VM, 4 if C2 has compiled anything or has a thread. */
    int highestLevel() {
        boolean hasC2 = total(Count.LEVEL_4) > 0;
        for (String name : threads.keySet()) {
            hasC2 |= name.startsWith("C2");
        }
        return hasC2 ? 4 : 1;
    }

    /** Returns the row of a method by its name in the log: class, name and signature, with blanks between them. */
    MethodRow method(String logged) {
        long before = methods.dropped();
        MethodRow row = methods.row(MethodNames.shown(logged));
        if (methods.dropped() != before) {
            ids.removeDropped();
        }
        return row;
    }

    /** Adds installed code. */
    void made(MethodRow method, int level, boolean isOsr, long bytes, long timeMs) {
        count(Count.ofLevel(level), timeMs, 1);
        count(Count.CODE_BYTES, timeMs, bytes);
        LevelTotals totalsOfLevel = level(level);
        totalsOfLevel.compiled++;
        totalsOfLevel.codeBytes += bytes;
        method.compiled++;
        method.codeBytes += bytes;
        if (isOsr) {
            count(Count.OSR, timeMs, 1);
            totalsOfLevel.osr++;
            method.osr++;
        }
        timeline.at(timeMs).made(new MadeCode(method.name, level, isOsr, bytes));
    }

    void thread(String name) {
        if (threads.size() < MAX_THREADS) {
            threads.merge(TableRow.cut(name), 1, Integer::sum);
        }
    }

    void threadFile(String name) {
        if (threadFiles.size() < MAX_FILES) {
            threadFiles.add(TableRow.cut(name));
        }
    }

    /** Completes the totals after the last event: waiting tasks, and tasks of the highest level. */
    void settle() {
        timeline.settle(total(Count.STARTED) > 0);
        LevelTotals highest = level(HIGHEST);
        level(highestLevel()).queued += highest.queued;
        highest.queued = 0;
    }
}
