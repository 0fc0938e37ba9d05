package io.remora.admin;

import io.remora.process.ProcFile;
import java.io.File;
import java.util.HashMap;
import java.util.Map;

/**
 * Lists the threads as the kernel and as the JVM see them. The kernel truncates a name to fifteen characters. A stack
 * has the kernel's id and CPU time where no other thread has the same name.
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
        Map<String, String> byComm = new HashMap<>();
        out.append("tid cpu_ms state name\n");
        String[] tasks = new File("/proc/self/task").list();
        if (tasks != null) {
            for (String task : tasks) {
                appendTask(out, byComm, task, ProcFile.read("/proc/self/task/" + task + "/stat"));
            }
        }
        out.append("\nstate kind name\n");
        for (Thread thread : threads()) {
            append(out, thread);
        }
        if (stacks) {
            appendStacks(out, byComm);
        }
        return Reply.text(200, out);
    }

    private static void appendTask(StringBuilder out, Map<String, String> byComm, String task, String stat) {
        int nameEnd = stat.lastIndexOf(')');
        if (nameEnd < 0) {
            return;
        }
        long ticks = ProcFile.number(ProcFile.word(stat, nameEnd + 1, UTIME), 0)
                + ProcFile.number(ProcFile.word(stat, nameEnd + 1, STIME), 0);
        long cpuMs = ticks * MS_PER_TICK;
        String comm = stat.substring(stat.indexOf('(') + 1, nameEnd);
        out.append(task).append(' ').append(cpuMs);
        out.append(' ').append(ProcFile.word(stat, nameEnd + 1, STATE));
        out.append(' ').append(comm).append('\n');
        // a name that several threads share identifies none of them
        byComm.merge(comm, " tid=" + task + " cpu_ms=" + cpuMs, (one, other) -> "");
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

    private static void appendStacks(StringBuilder out, Map<String, String> byComm) {
        for (Map.Entry<Thread, StackTraceElement[]> entry :
                Thread.getAllStackTraces().entrySet()) {
            String name = entry.getKey().getName();
            String kernel = byComm.getOrDefault(name.substring(0, Math.min(name.length(), COMM_CHARS)), "");
            out.append('\n').append(name).append(kernel).append('\n');
            for (StackTraceElement frame : entry.getValue()) {
                out.append("  ").append(frame).append('\n');
            }
        }
    }
}
