package io.remora.config.yaml;

import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.ClientsConfig;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code clients} of a listener and of its routes. Loaded only where they are configured. */
final class ClientsReader {
    private ClientsReader() {}

    static @Nullable ClientsConfig read(Section parent, Key key, Problems problems) {
        Section section = parent.sectionOrOff(key);
        if (section == null) {
            return null;
        }
        ClientsConfig clients = new ClientsConfig(
                networks(section, ListenerKeys.CLIENTS_ALLOW, problems),
                networks(section, ListenerKeys.CLIENTS_DENY, problems));
        if (!section.has(ListenerKeys.CLIENTS_ALLOW) && !section.has(ListenerKeys.CLIENTS_DENY)) {
            problems.at(section.node, "clients that are neither allowed nor denied, expected allow or deny");
        }
        section.end();
        return clients;
    }

    private static List<String> networks(Section section, Key key, Problems problems) {
        List<String> networks = new ArrayList<>();
        if (section.has(key)) {
            for (Node node : section.requiredList(key, "a list of one network or more")) {
                networks.add(PeerReader.cidr(node, problems));
            }
        }
        return List.copyOf(networks);
    }
}
