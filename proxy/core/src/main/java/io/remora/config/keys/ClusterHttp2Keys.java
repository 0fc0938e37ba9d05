package io.remora.config.keys;

/** The keys of a cluster's {@code http2}, in the order of the page. Loaded only for who speaks it. */
public final class ClusterHttp2Keys {
    /**
     * Streams of a connection at once, where the endpoint allows as many; another connection is opened beyond that. With {@code
     * window} it bounds what the endpoint can make one connection hold.
     */
    public static final Key MAX_STREAMS = Key.count(ClusterKeys.HTTP2, "max-streams", 1, Key.MAX_PER_CONNECTION, 100);

    /** What of one response may be on its way, or wait for its client, before the endpoint has to stop sending it. */
    public static final Key WINDOW = Key.heldBytes(ClusterKeys.HTTP2, "window", 32 << 10);

    /**
     * After so long without a frame from the endpoint a PING asks whether it is still there, and the connection ends where no answer
     * comes within as long again. Off by default: each request has its own timeouts, a connection that let one of them pass in
     * silence gets no further request, and some servers take more than one PING in five minutes for an attack.
     */
    public static final Key KEEP_ALIVE = Key.durationOrOffNs(ClusterKeys.HTTP2, "keep-alive");

    private ClusterHttp2Keys() {}
}
