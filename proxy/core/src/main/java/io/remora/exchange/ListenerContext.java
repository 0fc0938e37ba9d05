package io.remora.exchange;

import io.remora.config.ListenerConfig;
import io.remora.http.Forwarding;
import io.remora.http.RequestIds;
import io.remora.http.Via;
import io.remora.log.AccessLog;
import io.remora.metrics.ListenerStats;
import io.remora.pool.Cluster;
import io.remora.route.Router;
import io.remora.transport.Loop;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the exchanges of one listener on one event loop share.
 *
 * <p>Owner: the event loop.
 *
 * @param clusters by name, this loop's own
 * @param defaultAuthority what an HTTP/1.0 request without a Host is taken to be for
 */
public record ListenerContext(
        Loop loop,
        ListenerConfig config,
        ListenerStats stats,
        Admission admission,
        Router router,
        Via via,
        Forwarding forwarding,
        RequestIds requestIds,
        Map<String, Cluster<Backend>> clusters,
        @Nullable AccessLog accessLog,
        String defaultAuthority) {}
