package io.remora.log;

import io.remora.config.LogLevel;
import java.nio.charset.StandardCharsets;

/**
 * The sidecar's own log on standard error, one line per event. Thread safe.
 *
 * <p>Cost: one write per line, so that lines of several threads do not mix. A message cannot start a line of its own:
 * characters that a terminal or a log reader would interpret are escaped.
 */
public final class Log {
    private static final String HEX = "0123456789abcdef";
    private static volatile LogLevel level = LogLevel.INFO;

    private Log() {}

    public static void level(LogLevel newLevel) {
        level = newLevel;
    }

    public static LogLevel level() {
        return level;
    }

    public static boolean enabled(LogLevel wanted) {
        return wanted.compareTo(level) >= 0;
    }

    public static void debug(String message) {
        write(LogLevel.DEBUG, message);
    }

    public static void info(String message) {
        write(LogLevel.INFO, message);
    }

    public static void warn(String message) {
        write(LogLevel.WARN, message);
    }

    public static void error(String message) {
        write(LogLevel.ERROR, message);
    }

    private static void write(LogLevel wanted, String message) {
        if (enabled(wanted)) {
            byte[] bytes = line(System.currentTimeMillis(), wanted, message).getBytes(StandardCharsets.UTF_8);
            System.err.write(bytes, 0, bytes.length);
            System.err.flush();
        }
    }

    static String line(long epochMs, LogLevel level, String message) {
        StringBuilder line = new StringBuilder(message.length() + 40);
        UtcTime.appendIso(line, epochMs);
        line.append(' ').append(level.name()).append(' ');
        for (int i = 0; i < message.length(); i++) {
            appendEscaped(line, message.charAt(i));
        }
        return line.append('\n').toString();
    }

    private static void appendEscaped(StringBuilder line, char c) {
        if (!mayMislead(c)) {
            line.append(c);
        } else if (c == '\n') {
            line.append("\\n");
        } else if (c == '\r') {
            line.append("\\r");
        } else if (c == '\t') {
            line.append("\\t");
        } else {
            line.append("\\u");
            for (int shift = 12; shift >= 0; shift -= 4) {
                line.append(HEX.charAt(c >> shift & 15));
            }
        }
    }

    /** Control characters, line and paragraph separators, and marks that change the direction of the text after them. */
    private static boolean mayMislead(char c) {
        return c < ' ' || (c >= 0x7f && c < 0xa0) || (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
    }
}
