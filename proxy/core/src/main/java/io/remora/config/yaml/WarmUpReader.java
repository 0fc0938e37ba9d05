package io.remora.config.yaml;

import io.remora.config.keys.OperatorKeys;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.WarmUpConfig;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code warm-up}. Loaded only where it is configured. */
final class WarmUpReader {
    /** More have no time. */
    private static final int MOST_GETS = 64;

    private final List<ListenerConfig> listeners;
    private final Problems problems;

    /** @param listeners that requests may be made to */
    WarmUpReader(List<ListenerConfig> listeners, Problems problems) {
        this.listeners = listeners;
        this.problems = problems;
    }

    WarmUpConfig read(Section section) {
        int requests = section.get(OperatorKeys.WARM_UP_REQUESTS);
        long timeoutNs = section.get(OperatorKeys.WARM_UP_TIMEOUT);
        List<WarmUpConfig.Get> gets = new ArrayList<>();
        if (section.has(OperatorKeys.WARM_UP_GETS)) {
            List<Node> nodes = section.requiredList(OperatorKeys.WARM_UP_GETS, "a list of requests");
            if (nodes.size() > MOST_GETS) {
                problems.at(nodes.get(MOST_GETS), "too many gets, expected at most " + MOST_GETS);
            }
            for (Node node : nodes) {
                gets.add(get(Section.of(node, "gets", problems)));
            }
        }
        section.end();
        return new WarmUpConfig(requests, timeoutNs, List.copyOf(gets));
    }

    private WarmUpConfig.Get get(Section section) {
        String listener = listener(section, section.text(OperatorKeys.WARM_UP_GET_LISTENER));
        Node given = section.text(OperatorKeys.WARM_UP_GET_HOST);
        String host = given == null ? null : Names.authority(given, problems);
        Node path = section.requiredText(OperatorKeys.WARM_UP_GET_PATH, "the path of the request");
        if (path != null && !Names.isTarget(path.text)) {
            problems.at(
                    path, "path is " + path.quoted() + ", expected visible ASCII that begins with '/' and has no '#'");
        }
        int times = section.get(OperatorKeys.WARM_UP_GET_TIMES);
        section.end();
        return new WarmUpConfig.Get(
                listener,
                host == null ? OperatorKeys.WARM_UP_GET_HOST.fallbackText() : host,
                path == null ? "/" : path.text,
                times);
    }

    private String listener(Section section, @Nullable Node node) {
        List<String> names = new ArrayList<>();
        for (ListenerConfig one : listeners) {
            if (node != null && one.name().equals(node.text) && one.tcp()) {
                problems.at(node, "listener is " + node.quoted() + ", which handles no requests");
                return node.text;
            }
            if (!one.tcp()) {
                names.add(one.name());
            }
        }
        if (node == null && names.size() != 1) {
            section.missing(OperatorKeys.WARM_UP_GET_LISTENER, "one of " + Nearest.list(names));
        } else if (node != null && !names.contains(node.text)) {
            problems.at(node, "listener is " + node.quoted() + ", expected one of " + Nearest.list(names));
        }
        return node != null ? node.text : names.isEmpty() ? "" : names.get(0);
    }
}
