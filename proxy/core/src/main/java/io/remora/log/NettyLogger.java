package io.remora.log;

import io.netty.util.internal.logging.AbstractInternalLogger;
import io.remora.config.model.LogComponent;
import io.remora.config.model.LogLevel;
import org.jspecify.annotations.Nullable;

/** A Netty logger that writes to {@link Log}, warnings of each class of Netty a few times a minute at the most. Thread safe. */
final class NettyLogger extends AbstractInternalLogger {
    private static final long serialVersionUID = 1;

    /** The bound of warnings; null before the first. */
    private transient @Nullable LogThrottle warnings;

    NettyLogger(String name) {
        super(name);
    }

    private void log(LogLevel level, @Nullable String message, @Nullable Throwable cause) {
        if (!Log.enabled(LogComponent.NETTY, level)) {
            return;
        }
        StringBuilder line = new StringBuilder(128);
        line.append("netty: ").append(message);
        if (cause != null) {
            line.append(": ").append(cause);
            StackTraceElement[] frames = cause.getStackTrace();
            if (frames.length > 0) {
                line.append(" at ").append(frames[0]);
            }
        }
        if (level == LogLevel.DEBUG) {
            Log.debug(LogComponent.NETTY, line.toString());
        } else if (level == LogLevel.WARN) {
            String tail = warnings().tail(System.nanoTime());
            if (tail != null) {
                Log.warn(LogComponent.NETTY, line.append(tail).toString());
            }
        } else {
            Log.error(LogComponent.NETTY, line.toString());
        }
    }

    private synchronized LogThrottle warnings() {
        if (warnings == null) {
            warnings = LogThrottle.ofSource();
        }
        return warnings;
    }

    private void format(LogLevel level, @Nullable String format, @Nullable Object... arguments) {
        if (Log.enabled(LogComponent.NETTY, level)) {
            String known = format == null ? "null" : format;
            int last = arguments.length - 1;
            boolean left = last >= 0 && holes(known) <= last;
            Throwable cause = left && arguments[last] instanceof Throwable ? (Throwable) arguments[last] : null;
            log(level, fill(known, arguments), cause);
        }
    }

    private static int holes(String format) {
        int holes = 0;
        for (int at = format.indexOf("{}"); at >= 0; at = format.indexOf("{}", at + 2)) {
            holes++;
        }
        return holes;
    }

    /** Replaces each {@code {}} with the next argument. */
    static String fill(String format, @Nullable Object... arguments) {
        StringBuilder filled = new StringBuilder(format.length() + 32);
        int from = 0;
        for (Object argument : arguments) {
            int hole = format.indexOf("{}", from);
            if (hole < 0) {
                break;
            }
            filled.append(format, from, hole).append(argument);
            from = hole + 2;
        }
        return filled.append(format, from, format.length()).toString();
    }

    @Override
    public boolean isTraceEnabled() {
        return false;
    }

    @Override
    public void trace(@Nullable String message) {}

    @Override
    public void trace(@Nullable String format, @Nullable Object argument) {}

    @Override
    public void trace(@Nullable String format, @Nullable Object first, @Nullable Object second) {}

    @Override
    public void trace(@Nullable String format, @Nullable Object... arguments) {}

    @Override
    public void trace(@Nullable String message, @Nullable Throwable cause) {}

    @Override
    public boolean isDebugEnabled() {
        return false;
    }

    @Override
    public void debug(@Nullable String message) {}

    @Override
    public void debug(@Nullable String format, @Nullable Object argument) {}

    @Override
    public void debug(@Nullable String format, @Nullable Object first, @Nullable Object second) {}

    @Override
    public void debug(@Nullable String format, @Nullable Object... arguments) {}

    @Override
    public void debug(@Nullable String message, @Nullable Throwable cause) {}

    @Override
    public boolean isInfoEnabled() {
        return Log.enabled(LogComponent.NETTY, LogLevel.DEBUG);
    }

    @Override
    public void info(@Nullable String message) {
        log(LogLevel.DEBUG, message, null);
    }

    @Override
    public void info(@Nullable String format, @Nullable Object argument) {
        format(LogLevel.DEBUG, format, argument);
    }

    @Override
    public void info(@Nullable String format, @Nullable Object first, @Nullable Object second) {
        format(LogLevel.DEBUG, format, first, second);
    }

    @Override
    public void info(@Nullable String format, @Nullable Object... arguments) {
        format(LogLevel.DEBUG, format, arguments);
    }

    @Override
    public void info(@Nullable String message, @Nullable Throwable cause) {
        log(LogLevel.DEBUG, message, cause);
    }

    @Override
    public boolean isWarnEnabled() {
        return Log.enabled(LogComponent.NETTY, LogLevel.WARN);
    }

    @Override
    public void warn(@Nullable String message) {
        log(LogLevel.WARN, message, null);
    }

    @Override
    public void warn(@Nullable String format, @Nullable Object argument) {
        format(LogLevel.WARN, format, argument);
    }

    @Override
    public void warn(@Nullable String format, @Nullable Object first, @Nullable Object second) {
        format(LogLevel.WARN, format, first, second);
    }

    @Override
    public void warn(@Nullable String format, @Nullable Object... arguments) {
        format(LogLevel.WARN, format, arguments);
    }

    @Override
    public void warn(@Nullable String message, @Nullable Throwable cause) {
        log(LogLevel.WARN, message, cause);
    }

    @Override
    public boolean isErrorEnabled() {
        return Log.enabled(LogComponent.NETTY, LogLevel.ERROR);
    }

    @Override
    public void error(@Nullable String message) {
        log(LogLevel.ERROR, message, null);
    }

    @Override
    public void error(@Nullable String format, @Nullable Object argument) {
        format(LogLevel.ERROR, format, argument);
    }

    @Override
    public void error(@Nullable String format, @Nullable Object first, @Nullable Object second) {
        format(LogLevel.ERROR, format, first, second);
    }

    @Override
    public void error(@Nullable String format, @Nullable Object... arguments) {
        format(LogLevel.ERROR, format, arguments);
    }

    @Override
    public void error(@Nullable String message, @Nullable Throwable cause) {
        log(LogLevel.ERROR, message, cause);
    }
}
