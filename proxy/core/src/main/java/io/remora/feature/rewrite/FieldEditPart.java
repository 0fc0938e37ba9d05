package io.remora.feature.rewrite;

import io.remora.config.keys.Key;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Names;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import io.remora.text.Nearest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads a route's edits of fields, and refuses those that are the sidecar's own business.
 *
 * <p>Spec: RFC 9110 section 7.6 for fields about connections, RFC 9112 section 6 for framing.
 */
final class FieldEditPart {
    private static final int MAX_EDITS = 32;
    private static final int MAX_VALUE_CHARS = 1_024;
    private static final int MAX_VARIABLES = 8;

    /** About the connection, or where a message ends. */
    private static final List<String> OF_CONNECTION = List.of(
            "connection",
            "keep-alive",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "http2-settings",
            "content-length");

    private static final List<String> OF_FORWARDING = List.of(
            "forwarded",
            "x-forwarded-for",
            "x-forwarded-proto",
            "x-forwarded-host",
            "x-forwarded-client-cert",
            "x-request-id");

    private static final List<String> OF_REQUESTS = List.of("via", "max-forwards", "expect");
    private static final List<String> OF_RESPONSES =
            List.of("via", "date", "remora-error", "grpc-status", "grpc-message");
    private static final String OF_WEBSOCKETS = "sec-websocket-";

    private final Section route;
    private final Problems problems;
    private final boolean ofRequest;
    private final List<FieldEdit> edits = new ArrayList<>();
    private final List<String> names = new ArrayList<>();

    FieldEditPart(FeatureSection route) {
        this.route = route.section;
        this.problems = route.problems;
        this.ofRequest = route.key.equals(Rewriting.REQUEST_HEADERS);
    }

    /** Reads the three keys below the one of requests or of responses, and returns the options with the edits. */
    Options read(Options options) {
        Key key = ofRequest ? HeaderConfig.REQUEST_HEADERS : HeaderConfig.RESPONSE_HEADERS;
        Key set = ofRequest ? HeaderConfig.REQUEST_SET : HeaderConfig.RESPONSE_SET;
        Key append = ofRequest ? HeaderConfig.REQUEST_APPEND : HeaderConfig.RESPONSE_APPEND;
        Section section = route.section(key);
        removed(section, ofRequest ? HeaderConfig.REQUEST_REMOVE : HeaderConfig.RESPONSE_REMOVE);
        added(section.value(set), set, FieldEdit.Kind.SET);
        added(section.value(append), append, FieldEdit.Kind.APPEND);
        section.end();
        if (section.node.children.isEmpty()) {
            problems.at(section.node, key.name + " requires set, append or remove");
        } else if (edits.size() > MAX_EDITS) {
            problems.at(section.node, key.name + " changes " + edits.size() + " fields, expected at most " + MAX_EDITS);
        }
        if (edits.isEmpty()) {
            return options;
        }
        HeaderConfig headers = new HeaderConfig(ofRequest, List.copyOf(edits));
        return options.with(ofRequest ? HeaderConfig.REQUEST : HeaderConfig.RESPONSE, headers);
    }

    private void removed(Section section, Key key) {
        if (!section.has(key)) {
            return;
        }
        for (Node node : section.requiredList(key, "a list of names")) {
            String name = name(node, key.name);
            if (name != null) {
                edits.add(new FieldEdit(FieldEdit.Kind.REMOVE, name, null));
            }
        }
    }

    private void added(@Nullable Node node, Key key, FieldEdit.Kind kind) {
        if (node == null || Section.of(node, key.name, problems).node.isBroken()) {
            return;
        }
        for (int i = 0; i < node.children.size(); i += 2) {
            Node spelled = node.children.get(i);
            String name = name(spelled, key.name);
            FieldValue value = value(node.children.get(i + 1), "header " + spelled.quoted());
            if (name != null && value != null) {
                edits.add(new FieldEdit(kind, name, value));
            }
        }
    }

    private @Nullable String name(Node node, String key) {
        String name = Names.token(node, key, problems);
        if (name == null) {
            return null;
        }
        String lower = name.toLowerCase(Locale.ROOT);
        if (names.contains(lower)) {
            problems.at(node, "header " + node.quoted() + " is listed twice; names are case-insensitive");
            return null;
        }
        names.add(lower);
        String why = refusal(lower);
        if (why != null) {
            problems.at(node, "header " + node.quoted() + why);
        }
        return why == null ? name : null;
    }

    private @Nullable String refusal(String lower) {
        if (OF_CONNECTION.contains(lower) || lower.startsWith(OF_WEBSOCKETS)) {
            return " controls the connection or its framing and cannot be changed";
        }
        if (!ofRequest) {
            return OF_RESPONSES.contains(lower) ? " is written by the sidecar and cannot be changed" : null;
        }
        if (lower.equals("host")) {
            return " cannot be changed here, expected rewrite.host";
        }
        if (OF_FORWARDING.contains(lower)) {
            return " is written by the listener, expected headers of the listener";
        }
        return OF_REQUESTS.contains(lower) ? " is written by the sidecar and cannot be changed" : null;
    }

    /** Reads a value, null where it is none; a problem has been reported then. */
    private @Nullable FieldValue value(Node node, String name) {
        String text = Names.headerValue(node, name, problems);
        if (text == null) {
            return null;
        }
        if (text.isEmpty() || text.length() > MAX_VALUE_CHARS) {
            String expected = ", expected 1 to " + MAX_VALUE_CHARS + " characters";
            problems.at(node, name + " has " + text.length() + expected);
            return null;
        }
        return parse(node, text, name);
    }

    private @Nullable FieldValue parse(Node node, String text, String name) {
        List<String> literals = new ArrayList<>();
        List<FieldVariable> variables = new ArrayList<>();
        StringBuilder literal = new StringBuilder();
        int at = 0;
        while (at < text.length()) {
            char c = text.charAt(at);
            boolean twice = at + 1 < text.length() && text.charAt(at + 1) == c;
            if (c != '{' && c != '}' || twice) {
                literal.append(c);
                at += c == '{' || c == '}' ? 2 : 1;
                continue;
            }
            int end = c == '{' ? text.indexOf('}', at) : -1;
            if (end < 0) {
                problems.at(
                        node,
                        name + " has a single " + Problems.quote("" + c) + ", expected a variable in braces, or "
                                + Problems.quote("" + c + c));
                return null;
            }
            String word = text.substring(at + 1, end);
            FieldVariable variable = FieldVariable.of(word);
            if (variable == null) {
                String why = name + " has no variable " + Problems.quote(word);
                problems.at(node, why + Nearest.hint(word, FieldVariable.texts()));
                return null;
            }
            literals.add(literal.toString());
            literal.setLength(0);
            variables.add(variable);
            at = end + 1;
        }
        literals.add(literal.toString());
        if (variables.size() > MAX_VARIABLES) {
            problems.at(node, name + " has " + variables.size() + " variables, expected at most " + MAX_VARIABLES);
            return null;
        }
        return new FieldValue(text, List.copyOf(literals), List.copyOf(variables));
    }
}
