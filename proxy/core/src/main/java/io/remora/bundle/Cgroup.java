package io.remora.bundle;

import io.remora.process.ProcFile;

/** The limits of a process by its cgroup, version 1 or 2, and by the kernel, as lines of a name and a value. Pure functions. */
final class Cgroup {
    private static final String ROOT = "/sys/fs/cgroup";
    private static final String[] FILES = {
        "memory.max",
        "memory.high",
        "memory.current",
        "memory.peak",
        "memory.swap.max",
        "memory.events",
        "cpu.max",
        "cpu.stat",
        "cpu.pressure",
        "memory.pressure",
        "pids.max",
        "pids.current",
    };
    private static final String[] OLD_FILES = {
        "memory/memory.limit_in_bytes",
        "memory/memory.usage_in_bytes",
        "memory/memory.max_usage_in_bytes",
        "cpu/cpu.cfs_quota_us",
        "cpu/cpu.cfs_period_us",
        "cpu/cpu.stat",
        "pids/pids.max",
    };

    private Cgroup() {}

    /** Returns the limits of this process, and of the machine. */
    static String text() {
        StringBuilder out = new StringBuilder();
        String own = ownPath();
        for (String file : FILES) {
            String text = ProcFile.read(ROOT + own + '/' + file);
            append(out, file, text.isEmpty() ? ProcFile.read(ROOT + '/' + file) : text);
        }
        for (String file : OLD_FILES) {
            append(out, file, ProcFile.read(ROOT + '/' + file));
        }
        append(out, "limits", ProcFile.read("/proc/self/limits"));
        out.append("processors ")
                .append(Runtime.getRuntime().availableProcessors())
                .append('\n');
        String memory = ProcFile.read("/proc/meminfo");
        for (String key : new String[] {"MemTotal:", "MemAvailable:", "SwapTotal:", "SwapFree:"}) {
            out.append(key).append(' ').append(ProcFile.field(memory, key)).append('\n');
        }
        return out.toString();
    }

    // version 2 alone; in a container it may be the host's, whose files are not there
    private static String ownPath() {
        String cgroup = ProcFile.read("/proc/self/cgroup");
        int at = cgroup.indexOf("0::");
        int end = cgroup.indexOf('\n', Math.max(0, at));
        return at < 0 || end < 0 ? "" : cgroup.substring(at + 3, end);
    }

    private static void append(StringBuilder out, String name, String text) {
        int at = 0;
        while (at < text.length()) {
            int end = text.indexOf('\n', at);
            end = end < 0 ? text.length() : end;
            out.append(name).append(' ').append(text, at, end).append('\n');
            at = end + 1;
        }
    }
}
