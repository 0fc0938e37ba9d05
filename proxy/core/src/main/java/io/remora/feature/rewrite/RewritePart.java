package io.remora.feature.rewrite;

import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Names;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Section;
import io.remora.feature.ReplacedPath;

/** Reads and judges a route's {@code rewrite}. */
final class RewritePart {
    private RewritePart() {}

    static Options read(FeatureSection route, Options options) {
        Section section = route.section.section(RewriteConfig.SECTION);
        Node host = section.text(RewriteConfig.HOST);
        RewriteConfig rewrite = new RewriteConfig(
                ReplacedPath.read(route, section, RewriteConfig.PREFIX),
                host == null ? null : Names.authority(host, route.problems));
        if (rewrite.prefix() == null && rewrite.host() == null && section.node.children.isEmpty()) {
            route.problems.at(section.node, "rewrite requires prefix, host or both");
        }
        section.end();
        Node from = route.section.value(ListenerKeys.ROUTE_CLUSTER_FROM);
        if (from != null && rewrite.host() != null) {
            route.problems.at(from, "cluster-from cannot be combined with rewrite.host");
        }
        return options.with(RewriteConfig.REWRITE, rewrite);
    }
}
