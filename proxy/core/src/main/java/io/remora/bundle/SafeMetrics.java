package io.remora.bundle;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The page {@code /metrics} without its help, and with numbers for the values of labels that users or clients choose: methods of
 * gRPC, hosts, paths of sockets. The same value has the same number in all scrapes of a bundle.
 *
 * <p>Owner: the command.
 */
final class SafeMetrics {
    private static final String HIDDEN = "hidden-";
    private static final String HELP = "# HELP ";
    /** Labels whose values are the configuration's names. */
    private static final List<String> NAMED = List.of("listener", "cluster", "name", "endpoint");
    /** Labels whose values are words of the sidecar. */
    private static final List<String> OWN = List.of(
            "cause",
            "class",
            "collector",
            "event",
            "failure",
            "grpc_status",
            "java",
            "le",
            "level",
            "loop",
            "outcome",
            "reason",
            "result",
            "resumed",
            "segment",
            "side",
            "state",
            "version");

    private final Set<String> names;
    private final Map<String, Integer> numbers = new HashMap<>();

    /**
     * @param names that may be shown
     */
    SafeMetrics(Set<String> names) {
        this.names = names;
    }

    /** Returns how many values were hidden. */
    int hidden() {
        return numbers.size();
    }

    /** Returns a page with what may be shown. */
    String of(String page) {
        StringBuilder out = new StringBuilder(page.length());
        int at = 0;
        while (at < page.length()) {
            int end = page.indexOf('\n', at);
            end = end < 0 ? page.length() : end;
            if (!page.startsWith(HELP, at)) {
                line(page.substring(at, end), out);
            }
            at = end + 1;
        }
        return out.toString();
    }

    // NAME{LABEL="VALUE",...} NUMBER, in which a value escapes quotation marks
    private void line(String line, StringBuilder out) {
        int at = line.indexOf('{');
        if (at < 0 || line.startsWith("#")) {
            out.append(line).append('\n');
            return;
        }
        at++;
        out.append(line, 0, at);
        while (at < line.length() && line.charAt(at) != '}') {
            int equals = line.indexOf("=\"", at);
            int end = equals < 0 ? -1 : endOfValue(line, equals + 2);
            if (end < 0) {
                // not a line of this format: nothing of it
                out.append("}\n");
                return;
            }
            String label = line.substring(line.charAt(at) == ',' ? at + 1 : at, equals);
            out.append(line, at, equals + 2)
                    .append(shown(label, line.substring(equals + 2, end)))
                    .append('"');
            at = end + 1;
        }
        out.append(line, Math.min(at, line.length()), line.length()).append('\n');
    }

    private static int endOfValue(String line, int from) {
        for (int i = from; i < line.length(); i++) {
            char c = line.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == '"') {
                return i;
            }
        }
        return -1;
    }

    private String shown(String label, String value) {
        boolean own =
                OWN.contains(label) || NAMED.contains(label) && (names.contains(value) || SafeValue.isIpAddress(value));
        return own || value.isEmpty() ? value : hidden(value);
    }

    private String hidden(String value) {
        Integer known = numbers.get(value);
        if (known == null) {
            known = numbers.size() + 1;
            numbers.put(value, known);
        }
        return HIDDEN + known;
    }
}
