package io.remora.compilelog;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Reader of the events that a compile thread logs: its tasks, their time, and what it inlined.
 *
 * <p>Source: JDK 17, {@code compileLog.cpp}, {@code c1_GraphBuilder.cpp} and {@code bytecodeInfo.cpp}.
 */
final class TaskEvents {
    private static final String METHOD = "method";
    private static final String REASON = "reason";

    private final Compilations all;
    private final TaskNames names = new TaskNames();
    private @Nullable MethodRow method;
    private @Nullable CalleeRow callee;
    private Count busy = Count.C1_BUSY_MS;
    private String failure = "";
    private int level;
    private long startMs;
    private boolean hasVmLog;
    private boolean isOsr;

    TaskEvents(Compilations all) {
        this.all = all;
    }

    void beginFile() {
        method = null;
    }

    /** The log of the VM has its own events for code, so that those of the threads are not counted. */
    void beginVm(LogScanner scanner) throws IOException {
        if (!all.threads.isEmpty()) {
            throw scanner.malformed("the log of the VM must be before those of its compile threads");
        }
        hasVmLog = true;
    }

    void beginThread(LogScanner scanner) throws IOException {
        String name = scanner.text("name", "?");
        busy = name.startsWith("C2") ? Count.C2_BUSY_MS : Count.C1_BUSY_MS;
        all.thread(name);
        all.facts.saw(scanner.stampMs(0));
        method = null;
    }

    void read(LogElement element, LogScanner scanner) throws IOException {
        switch (element) {
            case TASK -> begin(scanner);
            case TASK_DONE -> done(scanner);
            case CODE_CACHE -> all.facts.freeCode(scanner.number("free_code_cache", Long.MAX_VALUE), startMs);
            case FAILURE -> failure = scanner.text(REASON, "not logged");
            case KLASS -> names.klass(id(scanner, "id"), scanner.text("name", "?"));
            case METHOD ->
                names.method(
                        id(scanner, "id"),
                        id(scanner, "holder"),
                        scanner.text("name", "?"),
                        scanner.number("bytes", 0));
            case CALL, LATE_INLINE -> call(id(scanner, METHOD));
            case INLINE_SUCCESS -> inlined(scanner.text(REASON, "not logged"));
            default -> notInlined(scanner.text(REASON, "not logged"));
        }
    }

    private static int id(LogScanner scanner, String name) throws IOException {
        return (int) scanner.number(name, -1);
    }

    private void begin(LogScanner scanner) throws IOException {
        names.clear();
        callee = null;
        failure = "";
        startMs = scanner.stampMs(0);
        all.facts.saw(startMs);
        isOsr = scanner.attributes().is("compile_kind", "osr");
        level = (int) scanner.number("level", busy == Count.C2_BUSY_MS ? 4 : 1);
        method = all.window.has(startMs) ? all.method(scanner.text(METHOD, "?")) : null;
        if (method == null) {
            return;
        }
        method.bytecodes = scanner.number("bytes", method.bytecodes);
        all.count(Count.STARTED, startMs, 1);
        long queuedMs = all.ids.queuedMs((int) scanner.number("compile_id", 0));
        if (queuedMs >= 0 && queuedMs <= startMs) {
            all.count(Count.WAIT_BEGUN, all.window.clip(queuedMs), 1);
            all.count(Count.WAIT_ENDED, startMs, 1);
            all.timeline.at(startMs).waited(startMs - queuedMs);
        }
    }

    private void done(LogScanner scanner) throws IOException {
        long timeMs = scanner.stampMs(startMs);
        all.facts.saw(timeMs);
        MethodRow compiled = method;
        method = null;
        if (compiled == null) {
            return;
        }
        long ms = Math.max(0, timeMs - startMs);
        all.spread(busy, startMs, timeMs);
        all.level(level).compiledIn(ms, compiled.name);
        compiled.compileMs += ms;
        if (scanner.number("success", 1) == 0) {
            all.count(Count.FAILED, startMs, 1);
            all.level(level).failed++;
            all.failures.add("level " + level + ": " + (failure.isEmpty() ? "not logged" : failure));
            compiled.failed++;
        } else if (!hasVmLog) {
            all.made(compiled, Math.max(1, Math.min(4, level)), isOsr, scanner.number("nmsize", 0), startMs);
        }
    }

    private void call(int id) {
        callee = null;
        if (method != null) {
            callee = all.callees.row(names.method(id));
            callee.bytecodes = names.bytecodes(id);
        }
    }

    private void inlined(String reason) {
        if (method != null) {
            all.count(Count.INLINED, startMs, 1);
            all.inlined.add(reason);
            if (callee != null) {
                callee.inlined++;
            }
        }
    }

    private void notInlined(String reason) {
        if (method != null) {
            all.count(Count.NOT_INLINED, startMs, 1);
            String kept = all.notInlined.add(reason);
            if (callee != null) {
                callee.notInlined++;
                callee.reason = kept;
            }
        }
    }
}
