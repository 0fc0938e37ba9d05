package io.remora.config.keys;

/** The keys of a listener's {@code detect}, in the order of the page. Loaded only where they are configured. */
public final class DetectKeys {
    /** The cluster of connections that carry no requests; it has {@code protocol: tcp}. */
    public static final Key CLUSTER = Key.required(ListenerKeys.DETECT, "cluster", "name of a cluster");

    /**
     * Time from when a connection is ready to the end of its first line. Beyond it, the connection is passed on as it
     * comes. In some protocols the server speaks first: their clients wait for that long.
     */
    public static final Key TIMEOUT = Key.durationNs(ListenerKeys.DETECT, "timeout", 3_000_000_000L);

    private DetectKeys() {}
}
