package io.remora.config.yaml;

import io.remora.config.keys.Choice;
import io.remora.config.keys.OperatorKeys;
import io.remora.config.model.LogComponent;
import io.remora.config.model.LogLevel;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads {@code log}, and {@code log-level}, which is the short form of its first key. */
final class LogReader {
    private final Problems problems;
    private final Section section;
    private final LogLevel level;
    private final Map<LogComponent, LogLevel> components;

    LogReader(Section root, Problems problems) {
        this.problems = problems;
        this.section = root.section(OperatorKeys.LOG);
        Node given = root.text(OperatorKeys.LOG_LEVEL);
        Node inSection = section.value(OperatorKeys.LOG_LEVEL_OF_ALL);
        LogLevel asked = section.get(OperatorKeys.LOG_LEVEL_OF_ALL);
        if (given != null && inSection != null) {
            problems.at(given, "log-level cannot be combined with log.level");
        }
        LogLevel read = given == null ? null : level(given, OperatorKeys.LOG_LEVEL.name);
        this.level = read == null ? asked : read;
        this.components = readComponents();
        section.end();
    }

    LogLevel level() {
        return level;
    }

    /** Returns the components that have a level of their own. */
    Map<LogComponent, LogLevel> components() {
        return components;
    }

    private Map<LogComponent, LogLevel> readComponents() {
        Node node = section.value(OperatorKeys.LOG_COMPONENTS);
        if (node == null) {
            return Map.of();
        }
        Map<LogComponent, LogLevel> levels = new EnumMap<>(LogComponent.class);
        List<Node> children = Section.of(node, OperatorKeys.LOG_COMPONENTS.name, problems).node.children;
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
        List<String> names = new ArrayList<>();
        for (LogComponent component : LogComponent.values()) {
            String name = Choice.lower(component);
            if (node.isText(name)) {
                return component;
            }
            names.add(name);
        }
        problems.at(node, "unknown component " + node.quoted() + ", expected one of " + Nearest.list(names));
        return null;
    }

    private @Nullable LogLevel level(Node node, String key) {
        List<String> names = new ArrayList<>();
        for (LogLevel one : LogLevel.values()) {
            String name = Choice.lower(one);
            if (node.isText(name)) {
                return one;
            }
            names.add(name);
        }
        problems.at(node, key + " is " + node.quoted() + ", expected one of " + Nearest.list(names));
        return null;
    }
}
