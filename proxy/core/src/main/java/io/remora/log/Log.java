package io.remora.log;

import io.remora.config.model.LogComponent;
import io.remora.config.model.LogLevel;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sidecar's own log on standard error, one line per event. Thread safe.
 *
 * <p>Cost: one write per line, so that lines of several threads do not mix. Until {@link #queue} it is the caller's; from then on
 * no caller waits for it. A message cannot start a line of its own: characters that a terminal or a log reader would interpret
 * are escaped.
 */
public final class Log {
    /** Time in which the end of the process waits for standard error to take the last lines. */
    public static final long LAST_WORDS_MS = 1_000;

    private static final String HEX = "0123456789abcdef";
    /** Null while each caller writes its own lines. */
    private static volatile @Nullable LogQueue queue;
    /** Standard error of all others from then on. */
    private static volatile @Nullable LogStream others;

    private static volatile LogLevel level = LogLevel.INFO;
    /** Levels of components that have one of their own, never changed; null for none. */
    private static volatile @Nullable Map<LogComponent, LogLevel> own;

    /** Thread whose lines below an error are dropped; null for none. */
    private static volatile @Nullable Thread quiet;

    private Log() {}

    /**
     * Lets lines wait in a queue for standard error, which may block for good, from now on. Texts that others write to
     * {@link System#err} wait there as well. Lines that must not be lost need {@link #drain}.
     */
    public static synchronized void queue() {
        if (queue == null) {
            LogQueue made =
                    new LogQueue(new LineOutput(new FileOutputStream(FileDescriptor.err), new File("/proc/self/fd/2")));
            LogStream stream = new LogStream(made);
            System.setErr(new PrintStream(stream, true, StandardCharsets.UTF_8));
            others = stream;
            queue = made;
        }
    }

    /** Waits until standard error has taken all lines, one without an end included, for at most {@link #LAST_WORDS_MS}. */
    public static void drain() {
        LogQueue queued = queue;
        if (queued == null) {
            System.err.flush();
        } else {
            LogStream stream = others;
            if (stream != null) {
                stream.endLine();
            }
            queued.drain(LAST_WORDS_MS);
        }
    }

    /** The number of lines that standard error has not taken since the start; -1 while each caller writes its own. */
    public static long dropped() {
        LogQueue queued = queue;
        return queued == null ? -1 : queued.dropped();
    }

    /** Drops the lines of this thread below an error, or writes them again. One thread at a time. */
    public static void quiet(boolean wanted) {
        quiet = wanted ? Thread.currentThread() : null;
    }

    /** Sets the level of all components, also of those with one of their own. */
    public static void level(LogLevel newLevel) {
        levels(newLevel, Map.of());
    }

    /** Sets the level of all components, and of those with one of their own. */
    public static synchronized void levels(LogLevel newLevel, Map<LogComponent, LogLevel> components) {
        own = components.isEmpty() ? null : new EnumMap<>(components);
        level = newLevel;
    }

    /** Sets the level of this component alone, until the next change of all. */
    public static synchronized void level(LogComponent component, LogLevel newLevel) {
        Map<LogComponent, LogLevel> before = own;
        Map<LogComponent, LogLevel> next = before == null ? new EnumMap<>(LogComponent.class) : new EnumMap<>(before);
        next.put(component, newLevel);
        own = next;
    }

    /** Returns the level of the components that have none of their own. */
    public static LogLevel level() {
        return level;
    }

    public static LogLevel level(LogComponent component) {
        Map<LogComponent, LogLevel> levels = own;
        LogLevel its = levels == null ? null : levels.get(component);
        return its == null ? level : its;
    }

    public static boolean enabled(LogComponent component, LogLevel wanted) {
        return wanted.compareTo(level(component)) >= 0;
    }

    /** Writes a debug line of the process. */
    public static void debug(String message) {
        debug(LogComponent.PROCESS, message);
    }

    public static void debug(LogComponent component, String message) {
        write(component, LogLevel.DEBUG, message);
    }

    /** Writes an information line of the process. */
    public static void info(String message) {
        info(LogComponent.PROCESS, message);
    }

    public static void info(LogComponent component, String message) {
        write(component, LogLevel.INFO, message);
    }

    /** Writes a warning of the process. */
    public static void warn(String message) {
        warn(LogComponent.PROCESS, message);
    }

    public static void warn(LogComponent component, String message) {
        write(component, LogLevel.WARN, message);
    }

    /** Writes an error of the process. */
    public static void error(String message) {
        error(LogComponent.PROCESS, message);
    }

    public static void error(LogComponent component, String message) {
        write(component, LogLevel.ERROR, message);
    }

    private static void write(LogComponent component, LogLevel wanted, String message) {
        if (enabled(component, wanted) && (wanted == LogLevel.ERROR || Thread.currentThread() != quiet)) {
            byte[] bytes = line(System.currentTimeMillis(), wanted, message).getBytes(StandardCharsets.UTF_8);
            LogQueue queued = queue;
            if (queued != null) {
                queued.offer(bytes);
                return;
            }
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
