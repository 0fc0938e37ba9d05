package io.remora.log;

import io.remora.config.LogLevel;

/** The sidecar's own log, one line an event, on standard error. Thread safe. */
public final class Log {
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
            System.err.println(wanted + " " + message);
        }
    }
}
