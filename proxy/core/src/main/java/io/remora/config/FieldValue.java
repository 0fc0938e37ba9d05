package io.remora.config;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The value of a field with its variables, taken apart once. Immutable.
 *
 * @param text as the file has it
 * @param literals what stands before, between and behind the variables
 */
public record FieldValue(String text, List<String> literals, List<FieldVariable> variables) {
    private static final int MAX_CHARS = 1_024;
    private static final int MAX_VARIABLES = 8;

    /** Whether it is one variable, with nothing around it. */
    public boolean isVariable() {
        return variables.size() == 1
                && literals.get(0).isEmpty()
                && literals.get(1).isEmpty();
    }

    /** Null where it is none, which has been reported then. */
    static @Nullable FieldValue read(Node node, String name, Problems problems) {
        String text = Names.headerValue(node, name, problems);
        if (text == null) {
            return null;
        }
        if (text.isEmpty() || text.length() > MAX_CHARS) {
            String expected = ", expected 1 to " + MAX_CHARS + " characters";
            problems.at(node, name + " has " + text.length() + expected);
            return null;
        }
        return parse(node, text, name, problems);
    }

    private static @Nullable FieldValue parse(Node node, String text, String name, Problems problems) {
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
