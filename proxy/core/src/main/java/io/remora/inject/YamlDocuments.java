package io.remora.inject;

import io.remora.text.Ascii;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.common.Anchor;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionEndEvent;
import org.snakeyaml.engine.v2.events.DocumentStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.events.SequenceStartEvent;
import org.snakeyaml.engine.v2.events.StreamEndEvent;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.parser.ParserImpl;
import org.snakeyaml.engine.v2.scanner.StreamReader;

/**
 * The documents of a YAML text, each as a tree and as the part of the text that it was read from.
 *
 * <p>Anchors, aliases and merge keys are resolved. Owner: one thread. Bounds: 64 levels, and a million nodes with those
 * that aliases repeat. Spec: YAML 1.1 and 1.2, of which kubectl reads the former.
 */
final class YamlDocuments {
    private static final int MAX_DEPTH = 64;
    private static final int MAX_NODES = 1_000_000;
    private static final String TAG = "tag:yaml.org,2002:";

    /** A document: its tree, and its part of the text from its first line to the next document. */
    record Document(@Nullable Object tree, String source) {}

    private final String file;
    private final String source;
    private final ParserImpl events;
    private final Map<Anchor, @Nullable Object> anchors = new HashMap<>();
    private int nodes;

    private YamlDocuments(String file, String source) {
        LoadSettings settings = LoadSettings.builder().setUseMarks(true).build();
        this.file = file;
        this.source = source;
        this.events = new ParserImpl(settings, new StreamReader(settings, source));
    }

    /** Returns the documents of a text; problems are named with file, line and column. */
    static List<Document> read(String file, String source) throws InjectException {
        try {
            return new YamlDocuments(file, source).documents();
        } catch (MarkedYamlEngineException e) {
            String place = e.getProblemMark()
                    .map(mark -> ":" + (mark.getLine() + 1) + ":" + (mark.getColumn() + 1))
                    .orElse("");
            throw new InjectException(file + place + ": not YAML: " + Ascii.oneLine(String.valueOf(e.getProblem())));
        } catch (YamlEngineException e) {
            throw new InjectException(file + ": not YAML: " + Ascii.oneLine(String.valueOf(e.getMessage())));
        }
    }

    private List<Document> documents() throws InjectException {
        List<@Nullable Object> trees = new ArrayList<>();
        List<Integer> starts = new ArrayList<>();
        events.next();
        for (Event event = events.next(); !(event instanceof StreamEndEvent); event = events.next()) {
            starts.add(event.getStartMark().orElseThrow().getIndex());
            anchors.clear();
            if (!(event instanceof DocumentStartEvent)) {
                throw problem(event, "unexpected " + event.getEventId());
            }
            trees.add(value((NodeEvent) events.next(), 1));
            events.next();
        }
        List<Document> documents = new ArrayList<>();
        for (int i = 0; i < trees.size(); i++) {
            int from = i == 0 ? 0 : offset(starts.get(i));
            int to = i + 1 < trees.size() ? offset(starts.get(i + 1)) : source.length();
            documents.add(new Document(trees.get(i), source.substring(from, to)));
        }
        return documents;
    }

    /** A mark counts code points. */
    private int offset(int points) {
        return source.offsetByCodePoints(0, points);
    }

    private @Nullable Object value(NodeEvent event, int depth) throws InjectException {
        if (depth > MAX_DEPTH || ++nodes > MAX_NODES) {
            throw problem(event, "more than " + MAX_DEPTH + " levels or " + MAX_NODES + " values");
        }
        if (event instanceof AliasEvent alias) {
            Anchor anchor = alias.getAnchor().orElseThrow();
            if (!anchors.containsKey(anchor)) {
                throw problem(event, "the alias *" + anchor.getValue() + " has no anchor");
            }
            return copy(event, anchors.get(anchor));
        }
        Object value = event instanceof ScalarEvent scalar
                ? scalar(scalar)
                : event instanceof MappingStartEvent mapping ? mapping(mapping, depth) : sequence(event, depth);
        Optional<Anchor> anchor = event.getAnchor();
        if (anchor.isPresent()) {
            anchors.put(anchor.get(), value);
        }
        return value;
    }

    /** Each alias is a value by itself, because what is injected into one must not show in another. */
    private @Nullable Object copy(Event event, @Nullable Object tree) throws InjectException {
        if (++nodes > MAX_NODES) {
            throw problem(event, "more than " + MAX_NODES + " values, aliases included");
        }
        if (tree instanceof Map<?, ?> map) {
            Map<String, @Nullable Object> copy = new LinkedHashMap<>();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                copy.put((String) entry.getKey(), copy(event, entry.getValue()));
            }
            return copy;
        }
        if (tree instanceof List<?> list) {
            List<@Nullable Object> copy = new ArrayList<>();
            for (Object item : list) {
                copy.add(copy(event, item));
            }
            return copy;
        }
        return tree;
    }

    private @Nullable Object scalar(ScalarEvent event) throws InjectException {
        String tag = event.getTag().orElse("");
        if (tag.equals("!") || tag.equals(TAG + "str")) {
            return event.getValue();
        }
        if (!tag.isEmpty()) {
            throw problem(event, "the tag " + tag + " is not supported");
        }
        return event.isPlain() ? YamlScalars.resolve(event.getValue()) : event.getValue();
    }

    private List<@Nullable Object> sequence(NodeEvent event, int depth) throws InjectException {
        judgeTag(event, ((SequenceStartEvent) event).getTag().orElse(TAG + "seq"), "seq");
        List<@Nullable Object> items = new ArrayList<>();
        for (Event next = events.next(); !(next instanceof CollectionEndEvent); next = events.next()) {
            items.add(value((NodeEvent) next, depth + 1));
        }
        return items;
    }

    private Map<String, @Nullable Object> mapping(MappingStartEvent event, int depth) throws InjectException {
        judgeTag(event, event.getTag().orElse(TAG + "map"), "map");
        Map<String, @Nullable Object> entries = new LinkedHashMap<>();
        List<Map<?, ?>> merged = new ArrayList<>();
        for (Event next = events.next(); !(next instanceof CollectionEndEvent); next = events.next()) {
            if (!(next instanceof ScalarEvent key)) {
                throw problem(next, "a key that is no text");
            }
            Object value = value((NodeEvent) events.next(), depth + 1);
            if (key.isPlain() && key.getValue().equals("<<")) {
                addMerged(key, value, merged);
            } else if (entries.containsKey(key.getValue())) {
                throw problem(key, "the key " + Ascii.quote(key.getValue()) + " stands twice");
            } else {
                entries.put(key.getValue(), value);
            }
        }
        for (Map<?, ?> one : merged) {
            for (Map.Entry<?, ?> entry : one.entrySet()) {
                entries.putIfAbsent((String) entry.getKey(), entry.getValue());
            }
        }
        return entries;
    }

    private void addMerged(ScalarEvent key, @Nullable Object value, List<Map<?, ?>> merged) throws InjectException {
        if (value instanceof Map<?, ?> map) {
            merged.add(map);
        } else if (value instanceof List<?> list) {
            for (Object item : list) {
                addMerged(key, item, merged);
            }
        } else {
            throw problem(key, "a merge key needs a mapping, or a list of mappings");
        }
    }

    private void judgeTag(Event event, String tag, String expected) throws InjectException {
        if (!tag.equals("!") && !tag.equals(TAG + expected)) {
            throw problem(event, "the tag " + tag + " is not supported");
        }
    }

    private InjectException problem(Event event, String what) {
        return new InjectException(file
                + event.getStartMark()
                        .map(mark -> ":" + (mark.getLine() + 1) + ":" + (mark.getColumn() + 1))
                        .orElse("")
                + ": " + what);
    }
}
