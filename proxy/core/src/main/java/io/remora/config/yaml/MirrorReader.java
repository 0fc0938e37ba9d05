package io.remora.config.yaml;

import io.remora.config.keys.MirrorKeys;
import io.remora.config.model.MirrorConfig;

/** Reads a route's {@code mirror}. Loaded only for who has one. */
final class MirrorReader {
    private MirrorReader() {}

    /** The name of the cluster is judged by the caller. */
    static MirrorConfig read(Section section) {
        Node cluster = section.requiredText(MirrorKeys.CLUSTER, "the name of a cluster");
        MirrorConfig mirror = new MirrorConfig(
                cluster == null ? "" : cluster.text,
                section.integer(MirrorKeys.PERCENT),
                section.integer(MirrorKeys.BODY),
                section.integer(MirrorKeys.MAX_IN_FLIGHT),
                section.number(MirrorKeys.TIMEOUT));
        section.end();
        return mirror;
    }
}
