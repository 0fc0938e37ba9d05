package io.remora.proxyprotocol;

import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.rules.Flaw;
import io.remora.config.rules.NamedClusters;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.PeerReader;
import io.remora.config.yaml.Section;
import java.util.ArrayList;
import java.util.List;

/** A listener's {@code proxy-protocol}: its reader and its rule. Loaded only where it is configured. */
public final class ProxyProtocolPart implements FeaturePart {
    @Override
    public Options read(FeatureSection listener, Options options) {
        Section section = listener.section.sectionOrOff(ListenerKeys.PROXY_PROTOCOL);
        if (section == null || section.node.isBroken()) {
            return options;
        }
        List<String> from = new ArrayList<>();
        for (Node node : section.requiredList(ProxyProtocolConfig.FROM, "a list of at least one network")) {
            from.add(PeerReader.cidr(node, listener.problems));
        }
        section.end();
        return options.with(ProxyProtocolConfig.PROXY_PROTOCOL, new ProxyProtocolConfig(List.copyOf(from)));
    }

    @Override
    public void judge(ListenerConfig listener, NamedClusters clusters, String path, List<Flaw> flaws) {
        if (listener.address().isUnix()) {
            flaws.add(new Flaw(path + ".proxy-protocol", "proxy-protocol requires a listener on a port"));
        }
    }
}
