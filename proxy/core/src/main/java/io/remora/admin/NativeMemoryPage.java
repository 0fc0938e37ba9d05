package io.remora.admin;

import io.remora.log.Log;
import io.remora.process.VmCommands;
import java.io.IOException;

/**
 * A {@code POST /native-memory}: the summary of the JVM's native memory tracking. The page's thread waits for the JVM.
 *
 * <p>Bounds: one at a time in the process. Cost: loaded by the first such request.
 */
final class NativeMemoryPage implements SlowPage.Work {
    /**
     * Returns the memory of the JVM by purpose, reserved and committed. It needs a JVM that was started with
     * {@code -XX:NativeMemoryTracking=summary}; otherwise the response is 503. {@code ?action=baseline} records the present
     * state, and {@code ?action=diff} returns what has grown since. See [native memory](#native-memory). Requires
     * {@code admin.profile: true}.
     */
    static final String PATH = "/native-memory";

    private static final String ACTION = "action";

    private static final SlowPage PAGE =
            new SlowPage("native-memory", "another summary is being made; try again when it has ended");

    private final String command;

    private NativeMemoryPage(String command) {
        this.command = command;
    }

    /**
     * Begins a summary.
     *
     * @throws IllegalArgumentException with the problem of a parameter
     */
    static void begin(String target, ReloadOutcome asker) {
        // each asker of an admin page is one; as a parameter, it would load both types at each start
        LaterReply then = (LaterReply) asker;
        String action = Parameters.of(target, ACTION + "=diff").text(ACTION, "summary");
        PAGE.begin(then, new NativeMemoryPage(command(action)));
    }

    private static String command(String action) {
        return switch (action) {
            case "summary" -> "VM.native_memory summary";
            case "baseline" -> "VM.native_memory baseline";
            case "diff" -> "VM.native_memory summary.diff";
            default ->
                throw new IllegalArgumentException(ACTION + " is '" + action + "', expected summary, baseline or diff");
        };
    }

    @Override
    public void answer(SlowPage.Turn turn) throws IOException {
        String text = VmCommands.execute(command);
        if (text.startsWith("Native memory tracking is not enabled")) {
            throw new IOException(
                    "native memory tracking is off; start the sidecar with -XX:NativeMemoryTracking=summary in REMORA_JAVA_OPTS");
        }
        long bytes = turn.send(text.strip() + '\n');
        Log.info("native-memory: " + command + " executed; sent it peer=" + turn.peer() + " bytes=" + bytes);
    }
}
