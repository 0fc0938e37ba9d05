package io.remora.config;

import io.remora.config.PathConfig.Separator;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a listener's {@code refuse-in-path}. Loaded only where it is given. */
final class PathReader {
    private PathReader() {}

    static List<Separator> refused(Section listener, Problems problems) {
        List<Separator> refused = new ArrayList<>();
        Key key = ListenerKeys.REFUSE_IN_PATH;
        for (Node node : listener.requiredList(key, "a list of one separator or more")) {
            Separator named = named(node);
            if (named == null) {
                List<String> names = names(List.of(Separator.values()));
                problems.at(node, key.name + " has " + node.quoted() + Nearest.hint(node.text, names));
            } else if (refused.contains(named)) {
                problems.at(node, key.name + " has " + node.quoted() + " a second time, expected each once");
            } else {
                refused.add(named);
            }
        }
        return List.copyOf(refused);
    }

    private static @Nullable Separator named(Node node) {
        for (Separator one : Separator.values()) {
            if (node.isText(Choice.lower(one))) {
                return one;
            }
        }
        return null;
    }

    /** Returns the words for these in the file. */
    static List<String> names(List<Separator> separators) {
        List<String> names = new ArrayList<>();
        for (Separator one : separators) {
            names.add(Choice.lower(one));
        }
        return names;
    }
}
