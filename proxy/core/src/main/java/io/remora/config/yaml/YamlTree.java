package io.remora.config.yaml;

import io.remora.config.model.ConfigException;
import io.remora.text.Ascii;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * The YAML parser's events, put together into nodes. The events are read directly: the parser's own node graph and
 * object construction would load more classes, and resolve tags and aliases that a configuration has no use for.
 *
 * <p>Bounds: 16 levels. Anchors, aliases, merge keys, tags and further documents are refused.
 */
public final class YamlTree {
    /** A configuration has eight. */
    private static final int MAX_LEVELS = 16;

    private final Problems problems;
    private final Map<String, String> environment;
    private final ParserImpl events;

    private YamlTree(String source, Map<String, String> environment, Problems problems) {
        this.problems = problems;
        this.environment = environment;
        LoadSettings settings = LoadSettings.builder().build();
        this.events = new ParserImpl(settings, new StreamReader(settings, source));
    }

    /** The document's root. Text that is not YAML ends the reading: nothing behind that place can be judged. */
    public static Node read(String source, Map<String, String> environment, Problems problems) throws ConfigException {
        try {
            return new YamlTree(source, environment, problems).document();
        } catch (MarkedYamlEngineException e) {
            Mark mark = e.getProblemMark().orElse(null);
            String context = e.getContext() == null ? "" : " " + e.getContext();
            throw notYaml(problems, mark, e.getProblem() + context + hint(mark));
        } catch (YamlEngineException e) {
            throw notYaml(problems, null, String.valueOf(e.getMessage()));
        }
    }

    private static ConfigException notYaml(Problems problems, @Nullable Mark mark, String why) {
        int line = mark == null ? 1 : mark.getLine() + 1;
        int column = mark == null ? 1 : mark.getColumn() + 1;
        return problems.fatal(line, column, "not YAML: " + Ascii.oneLine(why));
    }

    /** The commonest slip: braces that YAML takes for its own. */
    private static String hint(@Nullable Mark mark) {
        boolean variable = mark != null && mark.getPointer() > 0 && mark.getBuffer()[mark.getPointer() - 1] == '$';
        return variable ? ", expected quotes around ${NAME} between { } or [ ]" : "";
    }

    private Node document() throws ConfigException {
        events.next();
        if (!(events.next() instanceof DocumentStartEvent)) {
            throw problems.fatal(1, 1, "the file is empty, expected a mapping with listeners and clusters");
        }
        Node root = node((NodeEvent) events.next(), 1);
        events.next();
        Event next = events.next();
        if (next instanceof DocumentStartEvent) {
            problems.at(line(next), column(next), "only one document is allowed");
        }
        return root;
    }

    private Node node(NodeEvent event, int level) throws ConfigException {
        if (level > MAX_LEVELS) {
            String message = "nested too deeply, expected at most " + MAX_LEVELS + " levels";
            throw problems.fatal(line(event), column(event), message);
        }
        Node node;
        if (event instanceof ScalarEvent scalar) {
            node = scalar(scalar);
        } else if (event instanceof MappingStartEvent) {
            node = Node.parent(Node.Kind.MAPPING, line(event), column(event), mapping(level));
        } else if (event instanceof CollectionStartEvent) {
            node = Node.parent(Node.Kind.LIST, line(event), column(event), list(level));
        } else {
            node = Node.broken(line(event), column(event));
        }
        String refused = refused(event);
        if (refused != null) {
            problems.at(line(event), column(event), refused);
            return Node.broken(line(event), column(event));
        }
        return node;
    }

    private static @Nullable String refused(NodeEvent event) {
        if (event instanceof AliasEvent) {
            return "aliases are not allowed, expected the value itself";
        }
        if (event.getAnchor().isPresent()) {
            return "anchors are not allowed, expected only the value";
        }
        boolean tagged = event instanceof ScalarEvent scalar
                ? scalar.getTag().isPresent()
                : ((CollectionStartEvent) event).getTag().isPresent();
        return tagged ? "tags are not allowed, expected only the value" : null;
    }

    private Node scalar(ScalarEvent event) {
        int line = line(event);
        int column = column(event);
        Mark end = event.getEndMark().orElseThrow();
        int quote = event.isPlain() ? 0 : 1;
        int written = end.getLine() == line - 1 ? end.getColumn() + 1 - column : -1;
        String value = event.getValue();
        boolean exact = written == value.codePointCount(0, value.length()) + 2 * quote;
        String expanded = value.contains("${")
                ? new EnvironmentText(environment, problems).expand(value, line, exact ? column + quote : column, exact)
                : value;
        return expanded == null ? Node.broken(line, column) : Node.text(line, column, expanded);
    }

    private List<Node> list(int level) throws ConfigException {
        List<Node> items = new ArrayList<>();
        for (Event event = events.next(); !(event instanceof CollectionEndEvent); event = events.next()) {
            items.add(node((NodeEvent) event, level + 1));
        }
        return items;
    }

    private List<Node> mapping(int level) throws ConfigException {
        List<Node> entries = new ArrayList<>();
        Map<String, Node> keys = new HashMap<>();
        for (Event event = events.next(); !(event instanceof CollectionEndEvent); event = events.next()) {
            Node key = key((NodeEvent) event, level, keys);
            Node value = node((NodeEvent) events.next(), level + 1);
            if (!key.isBroken()) {
                entries.add(key);
                entries.add(value);
            }
        }
        return entries;
    }

    /** Reads a key as it stands, so that the syntax of a file does not depend on the environment. */
    private Node key(NodeEvent event, int level, Map<String, Node> keys) throws ConfigException {
        int line = line(event);
        int column = column(event);
        if (!(event instanceof ScalarEvent scalar) || refused(event) != null) {
            Node node = node(event, level + 1);
            problems.at(node, node.kind.words + " as a key, expected text");
            return Node.broken(line, column);
        }
        Node key = Node.text(line, column, scalar.getValue());
        if (key.text.equals("<<")) {
            problems.at(key, "merge keys are not allowed, expected the keys themselves");
            return Node.broken(line, column);
        }
        Node first = keys.putIfAbsent(key.text, key);
        if (first != null) {
            problems.at(key, "duplicate key " + Problems.quote(key.text) + ", first set on line " + first.line);
            return Node.broken(line, column);
        }
        return key;
    }

    private static int line(Event event) {
        return event.getStartMark().orElseThrow().getLine() + 1;
    }

    private static int column(Event event) {
        return event.getStartMark().orElseThrow().getColumn() + 1;
    }
}
