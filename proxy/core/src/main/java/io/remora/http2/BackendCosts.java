package io.remora.http2;

import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.http2.config.ClusterHttp2;
import io.remora.memory.MemoryCosts;
import io.remora.memory.MemoryCosts.Cost;

/** Memory that exchanges cost beyond those of HTTP/1.1 where an endpoint may be spoken to in HTTP/2. */
public final class BackendCosts {
    /** Heap of a stream: the codec's object, and those of its request. */
    private static final int STREAM_HEAP_BYTES = 1 << 10;

    private BackendCosts() {}

    /**
     * @param before without any of it
     */
    public static MemoryCosts of(MemoryCosts before, ProxyConfig config) {
        int window = 0;
        for (ClusterConfig cluster : config.clusters().values()) {
            ClusterHttp2 http2 = cluster.options().get(ClusterHttp2.HTTP2);
            window = http2 == null ? window : Math.max(window, http2.windowBytes());
        }
        return before.speaking(Cost.NONE, new Cost(window, STREAM_HEAP_BYTES));
    }
}
