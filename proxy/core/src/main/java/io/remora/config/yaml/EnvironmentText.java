package io.remora.config.yaml;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Replaces environment variables in one value: ${NAME} and ${NAME:-default}, while $${ stands for ${ itself. As in a
 * shell, the default also stands in for a variable that is empty. A variable's value is text: it is never read as YAML,
 * nor searched for further variables. Loaded only where a value has a variable.
 */
final class EnvironmentText {
    private static final String EXPECTED = ", expected ${NAME}, ${NAME:-default}, or $${ for a literal ${";

    private final Map<String, String> environment;
    private final Problems problems;

    EnvironmentText(Map<String, String> environment, Problems problems) {
        this.environment = environment;
        this.problems = problems;
    }

    /**
     * The value, which has one or more, with its variables replaced, or null when that failed and has been reported.
     *
     * @param column of the value's first character
     * @param exact whether the value stands in the file character by character, so that an offset is a column
     */
    @Nullable
    String expand(String text, int line, int column, boolean exact) {
        int start = text.indexOf("${");
        StringBuilder expanded = new StringBuilder();
        boolean failed = false;
        int done = 0;
        while (start >= 0) {
            expanded.append(text, done, start);
            int at = exact ? column + text.codePointCount(0, start) : column;
            if (start > 0 && text.charAt(start - 1) == '$') {
                expanded.append('{');
                done = start + 2;
            } else {
                int end = text.indexOf('}', start);
                String value = end < 0 ? unclosed(line, at) : value(text.substring(start + 2, end), line, at);
                failed |= value == null;
                expanded.append(value);
                done = end < 0 ? text.length() : end + 1;
            }
            start = text.indexOf("${", done);
        }
        return failed ? null : expanded.append(text, done, text.length()).toString();
    }

    private @Nullable String unclosed(int line, int column) {
        problems.at(line, column, "'${' has no closing '}'" + EXPECTED);
        return null;
    }

    private @Nullable String value(String expression, int line, int column) {
        int separator = expression.indexOf(":-");
        String name = separator < 0 ? expression : expression.substring(0, separator);
        String fallback = separator < 0 ? null : expression.substring(separator + 2);
        if (!isName(name) || (fallback != null && fallback.contains("${"))) {
            problems.at(line, column, Problems.quote("${" + expression + "}") + " is not a variable" + EXPECTED);
            return null;
        }
        String value = environment.get(name);
        if (fallback != null) {
            return value == null || value.isEmpty() ? fallback : value;
        }
        if (value == null) {
            String what = "environment variable " + Problems.quote(name) + " is not set";
            problems.at(line, column, what + "; set it, or add a default as in ${" + name + ":-default}");
        }
        return value;
    }

    private static boolean isName(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_';
            if (!letter && !(i > 0 && c >= '0' && c <= '9')) {
                return false;
            }
        }
        return !name.isEmpty();
    }
}
