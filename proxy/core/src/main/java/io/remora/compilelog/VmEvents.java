package io.remora.compilelog;

import java.io.IOException;

/**
 * Reader of the events that the VM logs itself: the queue, installed code, traps and the code cache.
 *
 * <p>Source: JDK 17, {@code compileTask.cpp}, {@code nmethod.cpp}, {@code deoptimization.cpp}, {@code sweeper.cpp}.
 */
final class VmEvents {
    private static final String COMPILE_ID = "compile_id";
    private static final String METHOD = "method";
    private static final String REASON = "reason";

    private final Compilations all;
    private final NotEntrantCause causes = new NotEntrantCause();
    private final TrapEvent trap;
    /** Some events have no time of their own. */
    private long lastMs;

    VmEvents(Compilations all) {
        this.all = all;
        trap = new TrapEvent(all);
    }

    void read(LogElement element, LogScanner scanner) throws IOException {
        if (element == LogElement.JVMS) {
            trap.frame(scanner);
            return;
        }
        trap.end();
        long timeMs = scanner.stampMs(lastMs);
        lastMs = timeMs;
        all.facts.saw(timeMs);
        boolean isCounted = all.window.has(timeMs);
        switch (element) {
            case TASK_QUEUED -> queued(scanner, timeMs, isCounted);
            case NMETHOD -> installed(scanner, timeMs, isCounted);
            case MAKE_NOT_ENTRANT -> invalidated(scanner, timeMs, isCounted);
            case UNCOMMON_TRAP, DEOPTIMIZED -> deoptimized(scanner, timeMs, isCounted);
            case DEPENDENCY_FAILED -> causes.dependency(scanner.text("type", "unknown"), timeMs);
            default -> {
                if (isCounted) {
                    countOther(element, scanner, timeMs);
                }
            }
        }
    }

    void end() {
        trap.end();
    }

    private void countOther(LogElement element, LogScanner scanner, long timeMs) {
        switch (element) {
            case TASK_DEQUEUED -> all.count(Count.DEQUEUED, timeMs, 1);
            case MAKE_UNLOADED -> all.count(Count.FREED, timeMs, 1);
            case CODE_CACHE_FULL -> all.count(Count.CODE_CACHE_FULL, timeMs, 1);
            case SWEEPER -> {
                if (scanner.attributes().is("state", "disable_compiler")) {
                    all.count(Count.COMPILER_OFF, timeMs, 1);
                }
            }
            case MAKE_NOT_COMPILABLE ->
                all.failures.add("not compilable at level " + scanner.text("level", "?") + ": "
                        + scanner.text(REASON, "not logged"));
            default -> throw new IllegalArgumentException(element.name());
        }
    }

    private void queued(LogScanner scanner, long timeMs, boolean isCounted) throws IOException {
        MethodRow method = all.method(scanner.text(METHOD, "?"));
        method.bytecodes = scanner.number("bytes", method.bytecodes);
        all.ids.put(id(scanner), timeMs, method);
        if (isCounted) {
            all.count(Count.QUEUED, timeMs, 1);
            all.level(scanner.number("level", Compilations.HIGHEST)).queued++;
            method.queued++;
        }
    }

    private void installed(LogScanner scanner, long timeMs, boolean isCounted) throws IOException {
        if (scanner.attributes().is("compile_kind", "c2n")) {
            if (isCounted) {
                all.count(Count.NATIVE, timeMs, 1);
            }
            return;
        }
        int id = id(scanner);
        boolean isOsr = isOsr(scanner);
        // without tiered compilation there is no level
        long assumed = scanner.attributes().is("compiler", "C1") ? 1 : 4;
        int level = (int) Math.max(1, Math.min(4, scanner.number("level", assumed)));
        long bytes = scanner.number("size", 0);
        MethodRow method = all.method(scanner.text(METHOD, "?"));
        if (!isOsr) {
            method.latestId = id;
            method.latestLevel = level;
        }
        long queuedMs = all.ids.queuedMs(id);
        if (isCounted) {
            all.made(method, level, isOsr, bytes, timeMs);
            if (queuedMs >= 0 && queuedMs <= timeMs) {
                all.count(Count.DELAY_BEGUN, all.window.clip(queuedMs), 1);
                all.count(Count.DELAY_ENDED, timeMs, 1);
                all.timeline.at(timeMs).delayed(timeMs - queuedMs);
            }
        }
    }

    private void invalidated(LogScanner scanner, long timeMs, boolean isCounted) throws IOException {
        if (!isCounted) {
            return;
        }
        if (scanner.attributes().has("zombie")) {
            all.count(Count.FREED, timeMs, 1);
            return;
        }
        int id = id(scanner);
        MethodRow method = all.ids.method(id);
        all.count(Count.NOT_ENTRANT, timeMs, 1);
        if (method != null) {
            method.notEntrant++;
        }
        // later JDKs log the cause
        String logged = scanner.text(REASON, "");
        all.causes.add(
                logged.isEmpty() ? causes.of(id, scanner.number("thread", 0), isOsr(scanner), method, timeMs) : logged);
    }

    private void deoptimized(LogScanner scanner, long timeMs, boolean isCounted) throws IOException {
        if (!scanner.attributes().has("thread")) {
            // a compiler's note of a place where its code may return
            return;
        }
        int id = id(scanner);
        String reason = scanner.text(REASON, "not logged");
        causes.trap(scanner.number("thread", 0), id, reason);
        if (isCounted) {
            all.count(Count.DEOPTIMIZED, timeMs, 1);
            trap.begin(reason, scanner.text("action", "none"), all.ids.method(id), timeMs);
        }
    }

    private static int id(LogScanner scanner) throws IOException {
        return (int) scanner.number(COMPILE_ID, 0);
    }

    private static boolean isOsr(LogScanner scanner) {
        return scanner.attributes().is("compile_kind", "osr");
    }
}
