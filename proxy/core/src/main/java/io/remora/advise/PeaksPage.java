package io.remora.advise;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The page {@code /peaks} as it was read. Immutable. */
final class PeaksPage {
    private static final String TABLE = "hour ";

    private final Map<String, String> head;
    /** The most of each column of the table. */
    private final Map<String, Long> most;

    private final int hours;

    private PeaksPage(Map<String, String> head, Map<String, Long> most, int hours) {
        this.head = head;
        this.most = most;
        this.hours = hours;
    }

    /**
     * Reads a page.
     *
     * @throws IOException where it is none
     */
    static PeaksPage of(String page) throws IOException {
        Map<String, String> head = new HashMap<>();
        Map<String, Long> most = new HashMap<>();
        List<String> columns = new ArrayList<>();
        int hours = 0;
        for (String line : lines(page)) {
            if (line.startsWith(TABLE)) {
                columns = words(line);
            } else if (columns.isEmpty()) {
                int blank = line.indexOf(' ');
                head.put(line.substring(0, Math.max(0, blank)), line.substring(blank + 1));
            } else {
                List<String> row = words(line);
                hours++;
                for (int i = 0; i < columns.size() && i < row.size(); i++) {
                    most.merge(columns.get(i), number(row.get(i)), Math::max);
                }
            }
        }
        if (columns.isEmpty()) {
            throw new IOException("the sidecar keeps no peaks; its version is older than this command");
        }
        return new PeaksPage(head, most, hours);
    }

    private static long number(String text) throws IOException {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IOException("the page of peaks has no number: " + text, e);
        }
    }

    private static List<String> lines(String text) {
        return parts(text, '\n');
    }

    private static List<String> words(String line) {
        return parts(line, ' ');
    }

    /** Returns what stands between separators, without what is empty. */
    static List<String> parts(String text, char separator) {
        List<String> parts = new ArrayList<>();
        int at = 0;
        while (at < text.length()) {
            int end = text.indexOf(separator, at);
            end = end < 0 ? text.length() : end;
            if (end > at) {
                parts.add(text.substring(at, end));
            }
            at = end + 1;
        }
        return parts;
    }

    String image() {
        return head.getOrDefault("image", "unknown");
    }

    String profile() {
        return head.getOrDefault("profile", "unknown");
    }

    /** Returns the number of hours in which anybody was served. */
    int hours() {
        return hours;
    }

    /** Returns the most of a column, 0 where nobody was served. */
    long most(String column) {
        return most.getOrDefault(column, 0L);
    }

    /** Returns a number of bytes since the start, 0 where it is not known. */
    long sinceStart(String name) throws IOException {
        String text = head.get(name + "_bytes");
        return text == null ? 0 : number(text);
    }
}
