package io.remora.takeover;

import io.remora.config.keys.OperatorKeys;
import io.remora.config.keys.Units;
import io.remora.config.model.Address;
import io.remora.config.model.Options;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.WarmUpConfig;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Section;
import io.remora.config.yaml.SocketPart;

/** The reader of {@code takeover}, below the warm-up, which has to end within it. Loaded only where it is configured. */
public final class TakeoverPart implements FeaturePart {
    @Override
    public Options read(FeatureSection top, Options options) {
        Section section = top.section.sectionOrOff(OperatorKeys.TAKEOVER);
        if (section == null) {
            return options;
        }
        Node node = section.requiredText(OperatorKeys.TAKEOVER_SOCKET, "the path of a Unix socket");
        Address address = node == null ? null : SocketPart.path(node, node.text, "", "socket", top.problems);
        long timeoutNs = section.get(OperatorKeys.TAKEOVER_TIMEOUT);
        long idleNs = section.get(OperatorKeys.TAKEOVER_IDLE);
        section.end();
        if (address == null) {
            return options;
        }
        warmUp(top, options, timeoutNs);
        return options.with(TakeoverConfig.TAKEOVER, new TakeoverConfig(address.host(), timeoutNs, idleNs));
    }

    private static void warmUp(FeatureSection top, Options options, long timeoutNs) {
        WarmUpConfig warmUp = options.get(ProxyConfig.WARM_UP);
        if (warmUp != null && warmUp.timeoutNs() >= timeoutNs) {
            top.problems.at(
                    top.section.node(OperatorKeys.WARM_UP),
                    "warm-up.timeout is " + Units.DURATION.format(warmUp.timeoutNs())
                            + ", expected less than takeover.timeout, which is " + Units.DURATION.format(timeoutNs));
        }
    }
}
