package io.remora.http2.config;

import io.remora.config.keys.Key;
import io.remora.config.yaml.Names;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The reader of names of fields that are never indexed, the same on both sides. */
final class NeverIndexed {
    static final String TYPE = "list of names";

    /** Each line that is written is compared with all of them. */
    private static final int MOST_NAMES = 32;

    private NeverIndexed() {}

    /** Returns the names in lower case, none where the key is not given. */
    static List<String> read(Section section, Key key, Problems problems) {
        if (!section.has(key)) {
            return List.of();
        }
        List<Node> nodes = section.requiredList(key, "a list of names");
        if (nodes.size() > MOST_NAMES) {
            section.problem(key, key.name + " has " + nodes.size() + " names, expected at most " + MOST_NAMES);
        }
        List<String> names = new ArrayList<>();
        for (Node node : nodes) {
            String name = Names.token(node, key.name, problems);
            String lower = name == null ? "" : name.toLowerCase(Locale.ROOT);
            if (names.contains(lower)) {
                problems.at(node, "header " + node.quoted() + " is listed twice; names are case-insensitive");
            } else if (!lower.isEmpty()) {
                names.add(lower);
            }
        }
        return List.copyOf(names);
    }
}
