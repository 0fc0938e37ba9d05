package io.remora.takeover;

import io.remora.config.keys.OperatorKeys;
import io.remora.config.keys.Units;
import io.remora.config.model.Address;
import io.remora.config.model.Options;
import io.remora.config.model.ProxyConfig;
import io.remora.config.rules.Flaw;
import io.remora.config.rules.NamedClusters;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Section;
import io.remora.config.yaml.SocketPart;
import io.remora.warmupkeys.WarmUpConfig;
import java.util.List;

/** The reader of {@code takeover}, and its rule: the warm-up has to end within it. Loaded only where it is configured. */
public final class TakeoverPart implements FeaturePart {
    @Override
    public Options read(FeatureSection top, Options options) {
        Section section = top.section.sectionOrOff(OperatorKeys.TAKEOVER);
        if (section == null) {
            return options;
        }
        Node node = section.requiredText(TakeoverConfig.SOCKET, "the path of a Unix socket");
        Address address = node == null ? null : SocketPart.path(node, node.text, "", "socket", top.problems);
        long timeoutNs = section.get(TakeoverConfig.TIMEOUT);
        long idleNs = section.get(TakeoverConfig.IDLE);
        section.end();
        if (address == null) {
            return options;
        }
        return options.with(TakeoverConfig.TAKEOVER, new TakeoverConfig(address.host(), timeoutNs, idleNs));
    }

    @Override
    public void judge(ProxyConfig config, NamedClusters clusters, List<Flaw> flaws) {
        TakeoverConfig takeover = config.options().get(TakeoverConfig.TAKEOVER);
        WarmUpConfig warmUp = config.options().get(WarmUpConfig.WARM_UP);
        if (takeover != null && warmUp != null && warmUp.timeoutNs() >= takeover.timeoutNs()) {
            String what = "warm-up.timeout is " + Units.DURATION.format(warmUp.timeoutNs());
            String most = Units.DURATION.format(takeover.timeoutNs());
            flaws.add(new Flaw("warm-up", what + ", expected less than takeover.timeout, which is " + most));
        }
    }
}
