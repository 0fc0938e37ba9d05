package io.remora.config;

/** Reads and shows a route's {@code mirror}. Loaded only for who has one. */
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

    static void show(ConfigText text, MirrorConfig mirror) {
        text.section(ListenerKeys.MIRROR);
        text.text(MirrorKeys.CLUSTER, mirror.cluster());
        text.number(MirrorKeys.PERCENT, mirror.percent());
        text.number(MirrorKeys.BODY, mirror.bodyBytes());
        text.number(MirrorKeys.MAX_IN_FLIGHT, mirror.maxInFlight());
        text.number(MirrorKeys.TIMEOUT, mirror.timeoutNs());
    }
}
