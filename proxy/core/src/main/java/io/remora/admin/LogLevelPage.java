package io.remora.admin;

import io.remora.config.model.LogComponent;
import io.remora.config.model.LogLevel;
import io.remora.http1.WholeRequests;
import io.remora.log.Log;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The page that shows the levels of the sidecar's own log, and changes them. Pure functions; loaded by its first request. */
final class LogLevelPage {
    /**
     * Returns the level of the sidecar's own log and the level of each [component](logs.md#diagnostic-log). POST
     * sets the log level to the value of {@code ?level=} or of the body ({@code debug}, {@code info}, {@code warn} or
     * {@code error}). The level applies until the next change or until the process ends. With {@code ?component=}, it
     * applies to one component, otherwise to all components.
     */
    static final String PATH = "/log-level";

    private static final String METHODS = Pages.READ_METHODS + ", POST";

    private LogLevelPage() {}

    static Reply answer(WholeRequests request) {
        if (Pages.reads(request)) {
            return Reply.text(200, shown());
        }
        return request.method().equals("POST")
                ? change(request.target(), request.body())
                : Reply.methodNotAllowed(METHODS);
    }

    /** Returns the levels in the form of the configuration's {@code log} section. */
    private static String shown() {
        StringBuilder text = new StringBuilder("level: ").append(lower(Log.level()));
        text.append("\ncomponents:\n");
        for (LogComponent component : LogComponent.values()) {
            text.append("  ").append(lower(component)).append(": ");
            text.append(lower(Log.level(component))).append('\n');
        }
        return text.toString();
    }

    private static Reply change(String target, String body) {
        String given = RequestTarget.parameter(target, "level");
        LogLevel level = named(LogLevel.values(), given.isEmpty() ? body.strip() : given);
        if (level == null) {
            return Reply.text(400, "the level is one of " + names(LogLevel.values()));
        }
        String wanted = RequestTarget.parameter(target, "component");
        if (wanted.isEmpty()) {
            Log.level(level);
            return Reply.text(200, lower(level) + '\n');
        }
        LogComponent component = named(LogComponent.values(), wanted);
        if (component == null) {
            return Reply.text(400, "the component is one of " + names(LogComponent.values()));
        }
        Log.level(component, level);
        return Reply.text(200, lower(component) + ' ' + lower(level) + '\n');
    }

    private static <E extends Enum<E>> @Nullable E named(E[] all, String name) {
        for (E one : all) {
            if (lower(one).equals(name)) {
                return one;
            }
        }
        return null;
    }

    private static String names(Enum<?>[] all) {
        StringBuilder names = new StringBuilder();
        for (Enum<?> one : all) {
            names.append(names.isEmpty() ? "" : ", ").append(lower(one));
        }
        return names.append('\n').toString();
    }

    private static String lower(Enum<?> one) {
        return one.name().toLowerCase(Locale.ROOT);
    }
}
