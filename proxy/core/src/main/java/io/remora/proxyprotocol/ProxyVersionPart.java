package io.remora.proxyprotocol;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Node;

/** A cluster's {@code proxy-protocol}: its reader. Loaded only where it is configured. */
public final class ProxyVersionPart implements FeaturePart {
    public static final String NAME = "clusters.proxy-protocol";

    private static final ProxyVersion V1 = new ProxyVersion(1);
    private static final ProxyVersion V2 = new ProxyVersion(2);

    @Override
    public Options read(FeatureSection cluster, Options options) {
        Node version = cluster.section.text(ClusterKeys.PROXY_PROTOCOL);
        if (version == null) {
            return options;
        }
        boolean first = version.isText(V1.text());
        if (!first && !version.isText(V2.text())) {
            cluster.problems.at(version, "proxy-protocol is " + version.quoted() + ", expected off, v1 or v2");
        }
        return options.with(ProxyVersion.VERSION, first ? V1 : V2);
    }
}
