package io.remora.bundle;

import java.util.Set;

/** The page {@code /threads} without the names of clusters that may not be shown, which are parts of threads' names. Pure functions. */
final class SafeThreads {
    private static final String PREFIX = "remora-";
    /** Ends a name above a stack. */
    private static final String TID = " tid=";

    private static final String[] OF_CLUSTERS = {"remora-dns-", "remora-consul-", "remora-kubernetes-"};

    private SafeThreads() {}

    static String of(String page, Set<String> names) {
        StringBuilder out = new StringBuilder(page.length());
        int at = 0;
        while (at < page.length()) {
            int end = page.indexOf('\n', at);
            end = end < 0 ? page.length() : end;
            out.append(shown(page.substring(at, end), names)).append('\n');
            at = end + 1;
        }
        return out.toString();
    }

    private static String shown(String line, Set<String> names) {
        int name = line.indexOf(PREFIX);
        for (String prefix : OF_CLUSTERS) {
            // the kernel cuts a name, so that its end may be that of the prefix
            if (name >= 0 && line.startsWith(prefix, name)) {
                int cluster = name + prefix.length();
                int tid = line.indexOf(TID, cluster);
                int end = tid < 0 ? line.length() : tid;
                return names.contains(line.substring(cluster, end))
                        ? line
                        : line.substring(0, cluster) + "..." + line.substring(end);
            }
        }
        return line;
    }
}
