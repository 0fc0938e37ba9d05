package io.remora.process;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The JIT compiler's state, by the JVM's command {@code Compiler.codecache}. Immutable.
 *
 * @param isOn whether the compiler takes methods
 * @param stops how often the JVM switched it off, as the code cache was full
 * @param failures how often a segment of the code cache had no room for code
 * @param methods compiled methods in the code cache, {@link ProcFile#UNKNOWN} where the text lacks them; falls where the
 *     JVM discards some
 */
public record CompilerState(boolean isOn, long stops, long failures, long methods) {
    private static final String STATE = "compilation: ";
    private static final String STOPS = "stopped_count=";
    private static final String FAILURES = "full_count=";
    private static final String METHODS = "nmethods=";

    /** Null where the JVM or the native library has no such command. */
    public static @Nullable CompilerState read() {
        if (VmCommands.problem() != null) {
            return null;
        }
        try {
            return of(VmCommands.execute("Compiler.codecache"));
        } catch (IOException e) {
            return null;
        }
    }

    /** Null for a text without the state and the counts of stops and failures. */
    static @Nullable CompilerState of(String text) {
        int state = text.indexOf(STATE);
        long stops = number(text, STOPS);
        long failures = number(text, FAILURES);
        return state < 0 || stops < 0 || failures < 0
                ? null
                : new CompilerState(
                        text.startsWith("enabled", state + STATE.length()), stops, failures, number(text, METHODS));
    }

    private static long number(String text, String name) {
        int at = text.indexOf(name);
        return at < 0 ? ProcFile.UNKNOWN : ProcFile.number(text, at + name.length());
    }
}
