package io.remora.warmupkeys;

import io.remora.config.keys.OperatorKeys;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.model.ProxyConfig;
import io.remora.config.rules.Flaw;
import io.remora.config.rules.NamedClusters;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Names;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import io.remora.text.Ascii;
import io.remora.text.Nearest;
import io.remora.warmupkeys.WarmUpConfig.Get;
import java.util.ArrayList;
import java.util.List;

/** The reader of {@code warm-up}, below the listeners, and its rule. Loaded only where it is configured. */
public final class WarmUpPart implements FeaturePart {
    /** More have no time. */
    private static final int MOST_GETS = 64;

    @Override
    public Options read(FeatureSection top, Options options) {
        Section section = top.section.sectionOrOff(OperatorKeys.WARM_UP);
        if (section == null) {
            return options;
        }
        int requests = section.get(WarmUpConfig.REQUESTS);
        long timeoutNs = section.get(WarmUpConfig.TIMEOUT);
        List<Get> gets = new ArrayList<>();
        if (section.has(WarmUpConfig.GETS)) {
            List<String> names = takingRequests(top.listeners());
            List<Node> nodes = section.requiredList(WarmUpConfig.GETS, "a list of requests");
            if (nodes.size() > MOST_GETS) {
                top.problems.at(nodes.get(MOST_GETS), "too many gets, expected at most " + MOST_GETS);
            }
            for (Node node : nodes) {
                gets.add(get(Section.of(node, "gets", top.problems), names, top.problems));
            }
        }
        section.end();
        return options.with(WarmUpConfig.WARM_UP, new WarmUpConfig(requests, timeoutNs, List.copyOf(gets)));
    }

    private static Get get(Section section, List<String> names, Problems problems) {
        Node listener = section.text(WarmUpConfig.GET_LISTENER);
        Node given = section.text(WarmUpConfig.GET_HOST);
        String host = given == null ? null : Names.authority(given, problems);
        Node path = section.requiredText(WarmUpConfig.GET_PATH, "the path of the request");
        if (path != null && !Names.isTarget(path.text)) {
            problems.at(
                    path, "path is " + path.quoted() + ", expected visible ASCII that begins with '/' and has no '#'");
        }
        int times = section.get(WarmUpConfig.GET_TIMES);
        section.end();
        // what is there and no name has been reported
        boolean missing = !section.has(WarmUpConfig.GET_LISTENER) && !section.node.isBroken();
        String only = names.isEmpty() || names.size() > 1 && missing ? "" : names.get(0);
        return new Get(
                listener == null ? only : listener.text,
                host == null ? WarmUpConfig.GET_HOST.fallbackText() : host,
                path == null ? "/" : path.text,
                times);
    }

    /** Returns the names of the listeners that take requests. */
    private static List<String> takingRequests(List<ListenerConfig> listeners) {
        List<String> names = new ArrayList<>();
        for (ListenerConfig one : listeners) {
            if (!one.tcp()) {
                names.add(one.name());
            }
        }
        return names;
    }

    @Override
    public void judge(ProxyConfig config, NamedClusters clusters, List<Flaw> flaws) {
        WarmUpConfig warmUp = config.options().get(WarmUpConfig.WARM_UP);
        List<Get> gets = warmUp == null ? List.of() : warmUp.gets();
        List<String> names = takingRequests(config.listeners());
        for (int i = 0; i < gets.size(); i++) {
            String name = gets.get(i).listener();
            if (!names.contains(name)) {
                String what = name.isEmpty() ? "missing listener" : "listener is " + Ascii.quote(name);
                String why =
                        has(config, name) ? ", which handles no requests" : ", expected one of " + Nearest.list(names);
                flaws.add(new Flaw("warm-up.gets[" + i + "].listener", what + why));
            }
        }
    }

    private static boolean has(ProxyConfig config, String name) {
        for (ListenerConfig one : config.listeners()) {
            if (one.name().equals(name)) {
                return true;
            }
        }
        return false;
    }
}
