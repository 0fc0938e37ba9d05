package io.remora.compilelog;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** A trap that is being read: its frames follow as elements, the innermost first. */
final class TrapEvent {
    private final Compilations all;
    private String reason = "";
    private String action = "";
    private @Nullable MethodRow compiled;
    private long timeMs;
    private boolean isOpen;

    TrapEvent(Compilations all) {
        this.all = all;
    }

    void begin(String why, String what, @Nullable MethodRow method, long atMs) {
        reason = why;
        action = what;
        compiled = method;
        timeMs = atMs;
        isOpen = true;
    }

    /** Adds the trap at its innermost frame; the others are callers in the same code. */
    void frame(LogScanner scanner) throws IOException {
        if (isOpen) {
            add(MethodNames.shown(scanner.text("method", "?")), scanner.number("bci", -1));
        }
    }

    /** Adds a trap without frames. */
    void end() {
        if (isOpen) {
            add(compiled == null ? "?" : compiled.name, -1);
        }
    }

    private void add(String method, long bci) {
        isOpen = false;
        if (compiled != null) {
            compiled.deoptimized++;
        }
        TrapRow row = all.traps.row(reason + ' ' + action + ' ' + bci + ' ' + method);
        if (row.count == 0) {
            row.reason = TableRow.cut(reason);
            row.action = TableRow.cut(action);
            row.method = TableRow.cut(method);
            row.bci = bci;
            row.firstMs = timeMs;
        }
        row.count++;
        row.lastMs = timeMs;
    }
}
