package io.remora.feature.clients;

import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.PeerReader;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import java.util.ArrayList;
import java.util.List;

/** Reads and judges {@code clients} of a listener and of its routes. */
final class ClientsPart {
    private ClientsPart() {}

    static Options read(FeatureSection from, Options options) {
        Section section = from.section.sectionOrOff(from.ofRoute ? ListenerKeys.ROUTE_CLIENTS : ListenerKeys.CLIENTS);
        Problems problems = from.problems;
        if (section == null) {
            return options;
        }
        ClientsConfig clients = new ClientsConfig(
                networks(section, ClientsConfig.ALLOW, problems), networks(section, ClientsConfig.DENY, problems));
        if (!section.has(ClientsConfig.ALLOW) && !section.has(ClientsConfig.DENY)) {
            problems.at(section.node, "clients requires allow or deny");
        }
        section.end();
        return options.with(ClientsConfig.CLIENTS, clients);
    }

    private static List<String> networks(Section section, Key key, Problems problems) {
        List<String> networks = new ArrayList<>();
        if (section.has(key)) {
            for (Node node : section.requiredList(key, "a list of at least one network")) {
                networks.add(PeerReader.cidr(node, problems));
            }
        }
        return List.copyOf(networks);
    }
}
