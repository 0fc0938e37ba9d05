package io.remora.config.yaml;

import io.remora.config.keys.Choice;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.OperatorKeys;
import io.remora.config.model.LogComponent;
import io.remora.config.model.LogLevel;
import io.remora.text.Nearest;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sidecar's own log, read and shown, with {@code log-level}, which is the short form of its first key. Loaded only where one of
 * both is given.
 */
public final class LogPart {
    /**
     * Log levels for individual components, such as {@code tls: debug}. The components are {@code process}, {@code
     * listener}, {@code cluster}, {@code tls}, {@code memory}, {@code netty} and {@code finagle}. See
     * [logs.md](logs.md#diagnostic-log).
     */
    public static final Key COMPONENTS =
            Key.optional(OperatorKeys.LOG, "components", "mapping of components to levels");

    private final Problems problems;
    private final LogLevel level;
    private final Map<LogComponent, LogLevel> components;

    LogPart(Section root, Problems problems) {
        this.problems = problems;
        Section section = root.section(OperatorKeys.LOG);
        Node given = root.text(OperatorKeys.LOG_LEVEL);
        LogLevel asked = section.get(OperatorKeys.LOG_LEVEL_OF_ALL);
        if (given != null && section.has(OperatorKeys.LOG_LEVEL_OF_ALL)) {
            problems.at(given, "log-level cannot be combined with log.level");
        }
        LogLevel read = given == null ? null : level(given, OperatorKeys.LOG_LEVEL.name);
        this.level = read == null ? asked : read;
        Node node = section.value(COMPONENTS);
        this.components = node == null ? Map.of() : components(Section.of(node, COMPONENTS.name, problems));
        section.end();
    }

    LogLevel level() {
        return level;
    }

    /** Returns the components that have a level of their own. */
    Map<LogComponent, LogLevel> components() {
        return components;
    }

    private Map<LogComponent, LogLevel> components(Section section) {
        Map<LogComponent, LogLevel> levels = new EnumMap<>(LogComponent.class);
        List<Node> children = section.node.children;
        for (int i = 0; i < children.size(); i += 2) {
            LogComponent component = component(children.get(i));
            LogLevel own = level(children.get(i + 1), component == null ? "level" : Choice.lower(component));
            if (component != null && own != null) {
                levels.put(component, own);
            }
        }
        return levels;
    }

    private @Nullable LogComponent component(Node node) {
        for (LogComponent component : LogComponent.values()) {
            if (node.isText(Choice.lower(component))) {
                return component;
            }
        }
        String known = Nearest.list(Choice.names(List.of(LogComponent.values())));
        problems.at(node, "unknown component " + node.quoted() + ", expected one of " + known);
        return null;
    }

    private @Nullable LogLevel level(Node node, String key) {
        LogLevel level = OperatorKeys.LOG_LEVEL_OF_ALL.read(node.text);
        if (level == null) {
            problems.at(node, key + " is " + node.quoted() + OperatorKeys.LOG_LEVEL_OF_ALL.expected(node.text));
        }
        return level;
    }

    /** Writes the levels of components, where any has one of its own. */
    public static void show(KeyWriter out, Map<LogComponent, LogLevel> components) {
        out.section(COMPONENTS);
        for (Map.Entry<LogComponent, LogLevel> own : components.entrySet()) {
            out.below(COMPONENTS, Choice.lower(own.getKey()), Choice.lower(own.getValue()));
        }
    }
}
