package io.remora.admin;

import io.remora.process.ProcFile;
import java.io.File;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Lists the threads as the kernel and as the JVM see them. The kernel truncates a name to fifteen characters.
 *
 * <p>A stack shows the kernel's id and CPU time of its thread if no other thread has the same truncated name. The main thread
 * has none, because the kernel names it after the program.
 *
 * <p>Cost: stacks are taken at a safepoint, which stops every event loop, and therefore only on request.
 */
final class ThreadsPage {
    private static final int STATE = 0;
    private static final int UTIME = 11;
    private static final int STIME = 12;
    private static final int MS_PER_TICK = 10;
    private static final int COMM_CHARS = 15;

    private ThreadsPage() {}

    static Reply reply(boolean stacks) {
        StringBuilder out = new StringBuilder();
        Map<String, String> figures = new HashMap<>();
        out.append("tid cpu_ms state name\n");
        String[] tasks = new File("/proc/self/task").list();
        if (tasks != null) {
            for (String task : tasks) {
                String stat = ProcFile.read("/proc/self/task/" + task + "/stat");
                if (stat.isEmpty()) {
                    continue; // ended meanwhile
                }
                appendTask(out, task, stat);
                if (stacks) {
                    // several threads of a name identify none of them
                    figures.merge(comm(stat), " tid=" + task + " cpu_ms=" + cpuMs(stat), (one, other) -> "");
                }
            }
        }
        out.append("\nstate kind name\n");
        for (Thread thread : threads()) {
            append(out, thread);
        }
        if (stacks) {
            appendStacks(out, figures);
        }
        return Reply.text(200, out);
    }

    private static void appendTask(StringBuilder out, String task, String stat) {
        out.append(task).append(' ').append(cpuMs(stat));
        out.append(' ').append(ProcFile.word(stat, stat.lastIndexOf(')') + 1, STATE));
        out.append(' ').append(comm(stat)).append('\n');
    }

    private static String comm(String stat) {
        return stat.substring(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
    }

    private static long cpuMs(String stat) {
        int nameEnd = stat.lastIndexOf(')');
        long ticks = ProcFile.number(ProcFile.word(stat, nameEnd + 1, UTIME), 0)
                + ProcFile.number(ProcFile.word(stat, nameEnd + 1, STIME), 0);
        return ticks * MS_PER_TICK;
    }

    private static Thread[] threads() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        for (ThreadGroup parent = group; parent != null; parent = parent.getParent()) {
            group = parent;
        }
        Thread[] found = new Thread[group.activeCount() + 16];
        int count = group.enumerate(found);
        Thread[] threads = new Thread[count];
        System.arraycopy(found, 0, threads, 0, count);
        return threads;
    }

    private static void append(StringBuilder out, Thread thread) {
        out.append(thread.getState().name());
        out.append(thread.isDaemon() ? " daemon " : " user ")
                .append(thread.getName())
                .append('\n');
    }

    private static void appendStacks(StringBuilder out, Map<String, String> figures) {
        Map<Thread, StackTraceElement[]> all = Thread.getAllStackTraces();
        Set<String> comms = new HashSet<>();
        for (Thread thread : all.keySet()) {
            if (!comms.add(comm(thread))) {
                figures.remove(comm(thread));
            }
        }
        for (Map.Entry<Thread, StackTraceElement[]> entry : all.entrySet()) {
            Thread thread = entry.getKey();
            out.append('\n').append(thread.getName());
            out.append(figures.getOrDefault(comm(thread), "")).append('\n');
            for (StackTraceElement frame : entry.getValue()) {
                out.append("  ").append(frame).append('\n');
            }
        }
    }

    private static String comm(Thread thread) {
        String name = thread.getName();
        return name.substring(0, Math.min(name.length(), COMM_CHARS));
    }
}
