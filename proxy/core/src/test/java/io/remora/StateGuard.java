package io.remora;

import io.remora.config.model.LogLevel;
import io.remora.log.Log;
import java.io.InputStream;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TimeZone;
import java.util.stream.Collectors;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * Keeps test classes from depending on their order. Each begins with the log level of a process that has just started, which every
 * sidecar in the process changes; and one that leaves the process's streams, its defaults or the sidecar's system properties changed
 * fails. Registered for every class of this module.
 */
public final class StateGuard implements BeforeAllCallback, AfterAllCallback {
    private static final Namespace OWN = Namespace.create(StateGuard.class);

    @Override
    public void beforeAll(ExtensionContext context) {
        Log.levels(LogLevel.INFO, Map.of());
        context.getStore(OWN).put(context.getUniqueId(), State.now());
    }

    @Override
    public void afterAll(ExtensionContext context) {
        List<String> changed =
                context.getStore(OWN).get(context.getUniqueId(), State.class).changes(State.now());
        if (!changed.isEmpty()) {
            throw new AssertionError("changed and not restored: " + String.join(", ", changed));
        }
    }

    /** State of the process that a test may only change while it runs. */
    record State(
            InputStream in, PrintStream out, PrintStream err, Locale locale, TimeZone zone, Map<String, String> own) {
        static State now() {
            return new State(
                    System.in, System.out, System.err, Locale.getDefault(), TimeZone.getDefault(), ownProperties());
        }

        private static Map<String, String> ownProperties() {
            Properties all = System.getProperties();
            return all.stringPropertyNames().stream()
                    .filter(name -> name.startsWith("remora."))
                    .collect(Collectors.toMap(name -> name, all::getProperty));
        }

        /** Returns the name of each part that the other one has differently. */
        List<String> changes(State other) {
            List<String> changes = new ArrayList<>();
            note(changes, "standard input", in == other.in);
            note(changes, "standard output", out == other.out);
            note(changes, "standard error", err == other.err);
            note(changes, "the locale", Objects.equals(locale, other.locale));
            note(changes, "the time zone", Objects.equals(zone, other.zone));
            note(changes, "system properties " + own + " to " + other.own, own.equals(other.own));
            return changes;
        }

        private static void note(List<String> changes, String what, boolean same) {
            if (!same) {
                changes.add(what);
            }
        }
    }
}
