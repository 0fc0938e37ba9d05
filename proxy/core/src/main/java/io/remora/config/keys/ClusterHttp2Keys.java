package io.remora.config.keys;

/** The keys of a cluster's {@code http2}, in the order of the page. Loaded only for who speaks it. */
public final class ClusterHttp2Keys {
    /**
     * Streams of a connection at once, if the endpoint allows as many. Beyond that the sidecar opens another
     * connection. With {@code window} it bounds what the endpoint can make one connection hold.
     */
    public static final Key MAX_STREAMS = Key.count(ClusterKeys.HTTP2, "max-streams", 1, Key.MAX_PER_CONNECTION, 100);

    /**
     * Bytes of one response that may be on their way, or wait for the client, before the endpoint has to stop sending.
     */
    public static final Key WINDOW = Key.heldBytes(ClusterKeys.HTTP2, "window", 32 << 10);

    /**
     * Time without a frame from the endpoint after which the sidecar sends a PING. The connection ends if no answer
     * comes within as long again. Off by default: each request has its own timeouts, and a connection that let one of
     * them pass in silence gets no further request. Some servers also take more than one PING in five minutes for an
     * attack.
     */
    public static final Key KEEP_ALIVE = Key.durationOrOffNs(ClusterKeys.HTTP2, "keep-alive");

    private ClusterHttp2Keys() {}
}
