package io.remora.bundle;

import java.util.Set;

/** The page {@code /threads} without the names of clusters that may not be shown, which are parts of threads' names. Pure functions. */
final class SafeThreads {
    private static final String PREFIX = "remora-";
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
            boolean begins = name >= 0 && line.startsWith(prefix, name);
            if (begins && !names.contains(line.substring(name + prefix.length()))) {
                return line.substring(0, name + prefix.length()) + "...";
            }
        }
        return line;
    }
}
