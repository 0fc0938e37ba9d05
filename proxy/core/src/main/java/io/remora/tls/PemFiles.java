package io.remora.tls;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The PEM files of one listener or cluster. A file that is named twice, such as a chain with its key, is read once.
 *
 * <p>Owner: the thread that reads.
 */
final class PemFiles {
    private final Map<String, List<Pem>> files = new LinkedHashMap<>();
    private final List<String> counts = new ArrayList<>();

    List<Pem> blocks(String path) throws IOException {
        List<Pem> known = files.get(path);
        if (known == null) {
            known = Pem.read(path);
            files.put(path, known);
        }
        return known;
    }

    /**
     * Counts certificates that are trusted.
     *
     * @param path or {@code system}
     */
    void trusts(String path, int certificates) {
        counts.add("trust " + path + ": " + certificates + (certificates == 1 ? " certificate" : " certificates"));
    }

    /** A line for each set of certificates that are trusted. */
    List<String> counts() {
        return List.copyOf(counts);
    }

    /** A line for each file with blocks that no reader had a use for. */
    List<String> unused() {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<String, List<Pem>> file : files.entrySet()) {
            String unused = Pem.unused(file.getValue());
            if (!unused.isEmpty()) {
                lines.add(file.getKey() + ": not used: " + unused);
            }
        }
        return List.copyOf(lines);
    }
}
