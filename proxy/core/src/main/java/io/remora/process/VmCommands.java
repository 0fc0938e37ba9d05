package io.remora.process;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Commands to the JVM, as {@code jcmd} has them, without attaching and without the module jdk.management, which the runtime images
 * lack. Their native library calls the same functions of the JVM as that module.
 *
 * <p>Thread safe. Cost: loaded by the first use. Source: hotspot/share/services/diagnosticCommand.hpp of JDK 17.
 */
public final class VmCommands {
    private static final @Nullable String PROBLEM = load();

    private VmCommands() {}

    private static @Nullable String load() {
        try {
            System.loadLibrary("remora");
            return isThere() ? null : "this JVM has no commands, or is not of JDK 17";
        } catch (UnsatisfiedLinkError e) {
            return "this JDK does not find the libremora.so of this version, which the runtime images have";
        }
    }

    /** Returns why there are no commands, null where there are. */
    public static @Nullable String problem() {
        return PROBLEM;
    }

    /**
     * Executes a command of {@code jcmd} and returns its output, which is whole in memory.
     *
     * @throws IOException if there are no commands
     */
    public static String execute(String command) throws IOException {
        check();
        return run(command);
    }

    /**
     * Writes all reachable objects to a new file of mode 0600, in the format HPROF. All threads stop meanwhile.
     *
     * @throws IOException if there is such a file already, or if it cannot be written whole; it may exist then
     */
    public static void dumpHeap(String file) throws IOException {
        check();
        if (dump(file) != 0) {
            throw new IOException("this JVM was built without heap dumps");
        }
    }

    private static void check() throws IOException {
        if (PROBLEM != null) {
            throw new IOException(PROBLEM);
        }
    }

    private static native boolean isThere();

    private static native String run(String command);

    private static native int dump(String file) throws IOException;
}
