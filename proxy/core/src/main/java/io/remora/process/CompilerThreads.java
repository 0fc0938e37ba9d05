package io.remora.process;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The CPU time of the JVM's compiler threads, by compiler. The JVM starts and ends such threads with the load; one that has ended counts
 * with the time that the last reading saw.
 *
 * <p>Owner: the admin thread. Cost: for each reading, a file of {@code /proc} for each thread of the process. Spec: proc(5).
 */
public final class CompilerThreads {
    private static final String[] COMPILERS = {"c1", "c2"};
    /** Beginnings of the names of their threads; the kernel keeps fifteen characters of a name. */
    private static final String[] THREADS = {"C1 Compiler", "C2 Compiler"};

    private static final int UTIME = 11;
    private static final int STIME = 12;
    private static final double TICKS_PER_SECOND = 100;
    /** Room for the fields up to the system time, behind the longest name. */
    private static final int MAX_BYTES = 512;

    private final byte[] bytes = new byte[MAX_BYTES];
    /** Ticks of the threads that ended, by compiler. */
    private final long[] ended = new long[COMPILERS.length];

    private Map<String, Reading> live = Map.of();

    private record Reading(int compiler, long ticks) {}

    /** Returns the name of a compiler by its place in a reading. */
    public static String name(int compiler) {
        return COMPILERS[compiler];
    }

    /**
     * Reads the threads as they are now.
     *
     * @return seconds of CPU time of both compilers, user and system; {@link ProcFile#UNKNOWN} for one that has had no thread
     */
    public double[] read() {
        Map<String, Reading> now = new HashMap<>();
        String[] tasks = new File("/proc/self/task").list();
        if (tasks != null) {
            for (String task : tasks) {
                Reading reading = reading(stat(task));
                if (reading != null) {
                    now.put(task, reading);
                }
            }
        }
        return update(now);
    }

    /** Takes the threads that live now, by their kernel ids. */
    private double[] update(Map<String, Reading> now) {
        double[] seconds = {ProcFile.UNKNOWN, ProcFile.UNKNOWN};
        for (Map.Entry<String, Reading> was : live.entrySet()) {
            Reading before = was.getValue();
            Reading after = now.get(was.getKey());
            // the kernel may give the id of a thread that has ended to another
            if (after == null || after.compiler != before.compiler || after.ticks < before.ticks) {
                ended[before.compiler] += before.ticks;
            }
        }
        live = now;
        for (Reading reading : now.values()) {
            seconds[reading.compiler] = Math.max(0, seconds[reading.compiler]) + reading.ticks / TICKS_PER_SECOND;
        }
        for (int i = 0; i < ended.length; i++) {
            if (ended[i] > 0) {
                seconds[i] = Math.max(0, seconds[i]) + ended[i] / TICKS_PER_SECOND;
            }
        }
        return seconds;
    }

    /** Empty for a thread that has ended meanwhile. */
    private String stat(String task) {
        try (FileInputStream in = new FileInputStream("/proc/self/task/" + task + "/stat")) {
            int length = in.read(bytes);
            return length < 0 ? "" : new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return "";
        }
    }

    /** Null for a thread that is no compiler's. */
    private static @Nullable Reading reading(String stat) {
        int name = stat.indexOf('(') + 1;
        for (int i = 0; i < THREADS.length; i++) {
            if (stat.startsWith(THREADS[i], name)) {
                int fields = stat.lastIndexOf(')') + 1;
                long user = ProcFile.number(ProcFile.word(stat, fields, UTIME), 0);
                long system = ProcFile.number(ProcFile.word(stat, fields, STIME), 0);
                return user < 0 || system < 0 ? null : new Reading(i, user + system);
            }
        }
        return null;
    }
}
