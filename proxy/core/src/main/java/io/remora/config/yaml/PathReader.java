package io.remora.config.yaml;

import io.remora.config.keys.Choice;
import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.PathConfig.Separator;
import io.remora.text.Nearest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads a listener's {@code refuse-in-path}. Loaded only where it is given. */
final class PathReader {
    private PathReader() {}

    static List<Separator> refused(Section listener, Problems problems) {
        List<Separator> refused = new ArrayList<>();
        Key key = ListenerKeys.REFUSE_IN_PATH;
        for (Node node : listener.requiredList(key, "a list of at least one separator")) {
            Separator named = named(node);
            if (named == null) {
                List<String> names = Choice.names(List.of(Separator.values()));
                problems.at(node, key.name + " has " + node.quoted() + Nearest.hint(node.text, names));
            } else if (refused.contains(named)) {
                problems.at(node, key.name + " lists " + node.quoted() + " twice");
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
}
