package io.remora.bundle;

import java.util.Set;

/**
 * Lines of the diagnostic log in the sidecar's own words: numbers, IP addresses and names of the configuration stay, and each other word
 * becomes {@value #OUT}. A line of another form is left out.
 *
 * <p>Immutable.
 */
final class SafeLog {
    private static final String OUT = "...";
    private static final String MARKS = "(),;:.'\"=";
    private static final int TIME_CHARS = "2026-01-02T03:04:05.678Z".length();
    private static final String[] LEVELS = {" DEBUG ", " INFO ", " WARN ", " ERROR "};

    private final Vocabulary vocabulary;
    private final Set<String> names;

    /**
     * @param names of the configuration that may be shown
     */
    SafeLog(Vocabulary vocabulary, Set<String> names) {
        this.vocabulary = vocabulary;
        this.names = names;
    }

    /** Returns the lines that may be shown. */
    String of(String log) {
        StringBuilder out = new StringBuilder();
        int at = 0;
        while (at < log.length()) {
            int end = log.indexOf('\n', at);
            end = end < 0 ? log.length() : end;
            line(log.substring(at, end), out);
            at = end + 1;
        }
        return out.toString();
    }

    private void line(String line, StringBuilder out) {
        int message = message(line);
        if (message < 0) {
            return;
        }
        out.append(line, 0, message);
        int at = message;
        while (at < line.length()) {
            int end = line.indexOf(' ', at);
            end = end < 0 ? line.length() : end;
            word(line.substring(at, end), out);
            out.append(end < line.length() ? ' ' : '\n');
            at = end + 1;
        }
    }

    // where the message begins behind time and level; negative in a line of another form
    private static int message(String line) {
        if (line.length() < TIME_CHARS
                || line.charAt(4) != '-'
                || line.charAt(10) != 'T'
                || line.charAt(TIME_CHARS - 1) != 'Z') {
            return -1;
        }
        for (int i = 0; i < TIME_CHARS - 1; i++) {
            char c = line.charAt(i);
            if ((c < '0' || c > '9') && "-T:.".indexOf(c) < 0) {
                return -1;
            }
        }
        for (String level : LEVELS) {
            if (line.startsWith(level, TIME_CHARS)) {
                return TIME_CHARS + level.length();
            }
        }
        return -1;
    }

    private void word(String word, StringBuilder out) {
        int from = 0;
        int to = word.length();
        while (from < to && MARKS.indexOf(word.charAt(from)) >= 0) {
            from++;
        }
        while (to > from && MARKS.indexOf(word.charAt(to - 1)) >= 0) {
            to--;
        }
        String core = word.substring(from, to);
        out.append(word, 0, from).append(isOwn(core) ? core : OUT).append(word, to, word.length());
    }

    private boolean isOwn(String word) {
        if (word.isEmpty() || names.contains(word) || SafeValue.isIpAddress(word)) {
            return true;
        }
        int equals = word.indexOf('=');
        if (equals > 0) {
            return isOwn(word.substring(0, equals)) && isOwn(word.substring(equals + 1));
        }
        // a path, a query and an identifier have other marks, or digits between letters
        return SafeValue.isNumber(word) || isLettersAndHyphens(word) && vocabulary.knows(word);
    }

    private static boolean isLettersAndHyphens(String word) {
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            if ((c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && c != '-') {
                return false;
            }
        }
        return true;
    }
}
