package io.remora.feature.mirror;

import io.remora.config.model.Options;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Section;

/** Reads a route's {@code mirror}. */
public final class MirrorReader {
    private MirrorReader() {}

    /** Reads one, and returns the options with it. */
    public static Options read(FeatureSection route, Options options) {
        Section section = route.section.sectionOrOff(MirrorKeys.MIRROR);
        if (section == null) {
            return options;
        }
        Node cluster = section.requiredText(MirrorKeys.CLUSTER, "the name of a cluster");
        MirrorConfig mirror = new MirrorConfig(
                cluster == null ? "" : cluster.text,
                section.integer(MirrorKeys.PERCENT),
                section.integer(MirrorKeys.BODY),
                section.integer(MirrorKeys.MAX_IN_FLIGHT),
                section.number(MirrorKeys.TIMEOUT));
        section.end();
        route.judgeCopies(cluster);
        return options.with(MirrorConfig.MIRROR, mirror);
    }
}
