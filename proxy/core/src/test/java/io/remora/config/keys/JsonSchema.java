package io.remora.config.keys;

import io.remora.config.model.LogComponent;
import io.remora.config.model.LogLevel;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The JSON Schema of the configuration, made from the declarations of the keys and the comments above them, as {@link KeyTable} makes
 * the page's table. It knows types, ranges, words, defaults and which keys there are; rules between keys are left to the sidecar.
 */
final class JsonSchema {
    private static final int MAX_LINE = 100;

    /** A part of any text that the environment fills in. */
    private static final String VARIABLE = ".*\\$\\{.+\\}.*";

    private static final String DURATION = "[0-9]+(ns|us|ms|s|m|h)";
    private static final String SIZE = "[0-9]+(B|KB|KiB|MB|MiB|GB|GiB)";
    private static final Pattern RANGE = Pattern.compile("([0-9]+) to ([0-9]+)(?:, or `\\{([a-z]+)}`)?");
    private static final Pattern BEGINNING = Pattern.compile("([0-9]+) to `");
    private static final Pattern WORDS = Pattern.compile("`[a-z0-9.-]+`((, | or | and )`[a-z0-9.-]+`)*");

    /** What is written as any text, up to the first comma. A new way to write a value has to be put in its place here. */
    private static final Set<String> TEXTS = Set.of(
            "DNS name",
            "`0` to `1`",
            "`USER`",
            "`_SERVICE._PROTOCOL.DNS-NAME`",
            "`all`",
            "absolute path",
            "address",
            "dtab",
            "field name",
            "host",
            "identity",
            "media type",
            "name",
            "name of a cluster",
            "name of a field",
            "name of a listener",
            "name of a service",
            "number",
            "octal number",
            "path",
            "share from `0.000001` to `1`",
            "stdout or a path",
            "tag",
            "text",
            "token");

    /** Keys whose mapping has the keys of another one. */
    private static final Map<String, String> SAME = Map.of(
            "admin.socket", "listeners[].socket",
            "admin.tls", "listeners[].tls",
            "health.socket", "listeners[].socket",
            "listeners[].routes[].clients", "listeners[].clients",
            "listeners[].routes[].rate-limits", "listeners[].rate-limits",
            "listeners[].routes[].retries", "clusters.NAME.retries",
            "clusters.NAME.resolver.consul.tls", "clusters.NAME.tls",
            "clusters.NAME.resolver.kubernetes.tls", "clusters.NAME.tls");

    /** Of these, a mapping has one at least. */
    private static final Map<String, List<String>> ALTERNATIVES = Map.of(
            "listeners", List.of("routes", "cluster"),
            "listeners[].routes", List.of("cluster", "clusters", "redirect", "respond"),
            "clusters", List.of("endpoints", "resolver", "dest", "original-destination"));

    private final Map<String, Key> keys = KeyTable.keys();
    private final Map<String, String> sentences;

    private JsonSchema(Map<String, String> sentences) {
        this.sentences = sentences;
    }

    /** The text of the schema. */
    static String text(Path sources) throws IOException {
        JsonSchema made = new JsonSchema(KeyTable.sentences(sources));
        Map<String, Object> schema = new LinkedHashMap<>();
        schema.put("$schema", "http://json-schema.org/draft-07/schema#");
        schema.put("title", "Configuration of Remora");
        schema.put(
                "description",
                "What remora run and remora check read. Rules between keys are judged by remora check only.");
        schema.putAll(made.mapping(null));
        StringBuilder out = new StringBuilder();
        write(schema, 0, out);
        return out.append('\n').toString();
    }

    /** A mapping with the keys below this one; null for the whole file. */
    private Map<String, Object> mapping(Key parent) {
        Map<String, Object> properties = new LinkedHashMap<>();
        List<String> required = new ArrayList<>();
        List<String> alternatives =
                parent == null ? List.of() : ALTERNATIVES.getOrDefault(KeyTable.path(parent), List.of());
        for (Key key : keys.values()) {
            if (key.parent == parent) {
                properties.put(key.name, described(key));
                if (key.required && !alternatives.contains(key.name)) {
                    required.add(key.name);
                }
            }
        }
        if (properties.isEmpty()) {
            throw new AssertionError(
                    KeyTable.path(parent) + " has no keys, and is not among those that have another one's");
        }
        Map<String, Object> mapping = new LinkedHashMap<>();
        mapping.put("type", "object");
        mapping.put("properties", properties);
        mapping.put("additionalProperties", false);
        if (!required.isEmpty()) {
            mapping.put("required", required);
        }
        if (!alternatives.isEmpty()) {
            mapping.put(
                    "anyOf",
                    alternatives.stream()
                            .map(name -> Map.of("required", List.of(name)))
                            .toList());
        }
        return mapping;
    }

    private Map<String, Object> described(Key key) {
        Map<String, Object> described = new LinkedHashMap<>();
        described.put("description", sentences.get(KeyTable.path(key)).replaceAll("\\[([^\\]]+)\\]\\([^)]*\\)", "$1"));
        described.putAll(value(key));
        Object byDefault = byDefault(key);
        if (byDefault != null) {
            described.put("default", byDefault);
        }
        return described;
    }

    private static Object byDefault(Key key) {
        boolean isNumber = !(key instanceof Choice) && (key.type == null || key.max > 0);
        if (isNumber) {
            boolean isPlain = key.units == Units.NONE;
            return key.fallbackText != null || key.required
                    ? null
                    : isPlain ? key.fallback : (Object) key.format(key.fallback);
        }
        String text = key.fallbackText;
        if (text == null || text.equals("the pod's CA")) {
            return null;
        }
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            case "{}" -> Map.of();
            default -> text;
        };
    }

    private Map<String, Object> value(Key key) {
        if (key.type == null && key instanceof Choice<?> choice) {
            return words(Choice.names(Arrays.asList(choice.all())));
        }
        String type = key.type;
        if (type == null || key.max > 0) {
            return number(key);
        }
        if (type.equals(Key.CLUSTERS)) {
            return ordered("type", "object", "minProperties", 1, "additionalProperties", mapping(key));
        }
        if (type.equals(Key.LIST)) {
            return list(mapping(like(key)));
        }
        if (type.startsWith("mapping of ")) {
            return map(type);
        }
        List<Map<String, Object>> ways = new ArrayList<>();
        for (String way : type.split(", or (?=mapping|list|auto|off)|, (?=mapping|such as)|(?<=mapping) or ")) {
            if (way.startsWith("mapping")) {
                ways.add(mapping(like(key)));
            } else if (way.startsWith("list of ")) {
                ways.add(list(items(key, way.substring("list of ".length()))));
            } else if (way.equals("auto") || way.equals("off")) {
                ways.add(words(List.of(way)));
            } else if (!way.startsWith("such as ")) {
                ways.add(scalar(key, way));
            }
        }
        return any(ways);
    }

    private Key like(Key key) {
        String other = SAME.get(KeyTable.path(key));
        return other == null ? key : keys.get(other);
    }

    private Map<String, Object> items(Key key, String what) {
        if (what.endsWith(" or mappings")) {
            return any(List.of(text(), mapping(key)));
        }
        return WORDS.matcher(what).matches() ? words(split(what)) : text();
    }

    private static Map<String, Object> map(String type) {
        Map<String, Object> map = new LinkedHashMap<>(Map.of("type", "object"));
        if (type.equals("mapping of components to levels")) {
            map.put("propertyNames", Map.of("enum", Choice.names(Arrays.asList(LogComponent.values()))));
            map.put("additionalProperties", words(Choice.names(Arrays.asList(LogLevel.values()))));
        } else if (type.equals("mapping of names to values")) {
            map.put("additionalProperties", text());
        } else {
            throw new AssertionError("unknown: " + type);
        }
        return map;
    }

    private Map<String, Object> scalar(Key key, String way) {
        Matcher range = RANGE.matcher(way);
        if (way.equals("switch")) {
            return ordered("type", List.of("boolean", "string"), "pattern", whole("true|false"));
        } else if (way.equals("kind")) {
            return value(keys.get(KeyTable.path(key) + ".kind"));
        } else if (range.matches()) {
            Map<String, Object> integer = integer(Long.valueOf(range.group(1)), Long.valueOf(range.group(2)));
            if (range.group(3) != null) {
                integer.put("pattern", whole("[0-9]+|\\{" + range.group(3) + "\\}"));
            }
            return integer;
        } else if (BEGINNING.matcher(way).lookingAt()) {
            return integer(Long.valueOf(way.substring(0, way.indexOf(' '))), null);
        } else if (WORDS.matcher(way).matches()) {
            return words(split(way));
        } else if (way.equals("duration, off or forever")) {
            return ordered("type", "string", "pattern", whole(DURATION + "|off|forever"));
        } else if (way.matches("[a-z-]+(, [a-z-]+){2,}")) {
            return words(List.of(way.split(", ")));
        } else if (way.equals("off, `client`")) {
            return words(List.of("off", "client"));
        } else if (!TEXTS.contains(way.split(", ")[0])) {
            throw new AssertionError(KeyTable.path(key) + " is written in a way that the schema does not know: " + way);
        }
        return text();
    }

    private static List<String> split(String words) {
        return List.of(words.replace("`", "").split(", | or | and "));
    }

    private static Map<String, Object> number(Key key) {
        if (key.units == Units.NONE) {
            return integer(key.min, key.max);
        }
        String unit = key.units == Units.DURATION || key.units == Units.DURATION_OR_OFF ? DURATION : SIZE;
        return ordered("type", "string", "pattern", whole(key.units.canBeOff() ? unit + "|off" : unit));
    }

    /** Bounds hold for numbers only, and the pattern for texts only. */
    private static Map<String, Object> integer(Long min, Long max) {
        Map<String, Object> integer = ordered("type", List.of("integer", "string"), "pattern", whole("[0-9]+"));
        integer.put("minimum", min);
        if (max != null) {
            integer.put("maximum", max);
        }
        return integer;
    }

    private static String whole(String pattern) {
        return "^(" + pattern + "|" + VARIABLE + ")$";
    }

    /** To YAML, which has more types than the file, a text may be a number. */
    private static Map<String, Object> text() {
        return ordered("type", List.of("string", "number", "boolean"));
    }

    private static Map<String, Object> words(List<String> words) {
        List<Object> all = new ArrayList<>(words);
        for (String word : words) {
            if (word.matches("[0-9]+\\.[0-9]+")) {
                all.add(Double.valueOf(word));
            }
        }
        return any(List.of(ordered("enum", all), ordered("type", "string", "pattern", "^" + VARIABLE + "$")));
    }

    private static Map<String, Object> list(Map<String, Object> items) {
        return ordered("type", "array", "minItems", 1, "items", items);
    }

    private static Map<String, Object> any(List<Map<String, Object>> ways) {
        return ways.size() == 1 ? ways.get(0) : ordered("anyOf", ways);
    }

    private static Map<String, Object> ordered(Object... entries) {
        Map<String, Object> map = new LinkedHashMap<>();
        for (int i = 0; i < entries.length; i += 2) {
            map.put((String) entries[i], entries[i + 1]);
        }
        return map;
    }

    /** Writes JSON: what fits into a line on one. */
    static void write(Object value, int indent, StringBuilder out) {
        Collection<?> items =
                value instanceof Map<?, ?> map ? map.entrySet() : value instanceof List<?> list ? list : List.of();
        if (items.isEmpty() || line(value).length() <= MAX_LINE) {
            out.append(line(value));
            return;
        }
        out.append(value instanceof Map ? '{' : '[');
        String separator = "\n";
        for (Object item : items) {
            out.append(separator).append(" ".repeat(indent + 1));
            if (item instanceof Map.Entry<?, ?> entry) {
                out.append(quoted(entry.getKey().toString())).append(": ");
            }
            write(item instanceof Map.Entry<?, ?> entry ? entry.getValue() : item, indent + 1, out);
            separator = ",\n";
        }
        out.append('\n').append(" ".repeat(indent)).append(value instanceof Map ? '}' : ']');
    }

    private static String line(Object value) {
        if (value instanceof Map<?, ?> map) {
            return map.entrySet().stream()
                    .map(entry -> quoted(entry.getKey().toString()) + ": " + line(entry.getValue()))
                    .collect(Collectors.joining(", ", "{", "}"));
        }
        if (value instanceof List<?> list) {
            return list.stream().map(JsonSchema::line).collect(Collectors.joining(", ", "[", "]"));
        }
        return value instanceof String text ? quoted(text) : String.valueOf(value);
    }

    private static String quoted(String text) {
        return '"'
                + text.replace("\\", "\\\\")
                        .replace("\"", "\\\"")
                        .replace("\n", "\\n")
                        .replace("\t", "\\t")
                + '"';
    }
}
