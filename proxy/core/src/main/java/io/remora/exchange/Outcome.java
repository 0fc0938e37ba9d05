package io.remora.exchange;

import io.netty.handler.codec.http.HttpHeaders;
import io.remora.http.Failure;
import io.remora.http.RequestHead;
import io.remora.log.AccessEntry;
import io.remora.log.AccessLog;
import io.remora.metrics.ListenerMetric;
import io.remora.metrics.ListenerStats;
import org.jspecify.annotations.Nullable;

/** What became of an exchange, counted once and logged once. Owner: the exchange. */
final class Outcome {
    private final ListenerContext context;
    private final Frontend frontend;
    private final RequestHead head;
    private int status;
    private @Nullable Failure failure;
    private @Nullable String route;
    private @Nullable String endpoint;
    private @Nullable String requestId;
    private long tunnelledBytes;
    private long responseBytes;

    Outcome(ListenerContext context, Frontend frontend, RequestHead head) {
        this.context = context;
        this.frontend = frontend;
        this.head = head;
    }

    void status(int newStatus) {
        status = newStatus;
    }

    void failure(Failure newFailure) {
        failure = newFailure;
    }

    void route(String name) {
        route = name;
    }

    void endpoint(String name) {
        endpoint = name;
    }

    void requestId(@Nullable String id) {
        requestId = id;
    }

    void responseBytes(int more) {
        responseBytes += more;
    }

    void tunnelled(long fromClient, long fromBackend) {
        tunnelledBytes += fromClient;
        responseBytes += fromBackend;
    }

    void report(Timing timing, long requestBytes) {
        ListenerStats stats = context.stats();
        if (failure != null) {
            stats.increment(ListenerMetric.FAILURES, failure.label());
        }
        if (failure == Failure.CUT) {
            stats.increment(ListenerMetric.EXCHANGES_CUT);
        }
        if (status != 0) {
            stats.responded(status);
        }
        timing.recordTo(stats);
        AccessLog log = context.accessLog();
        if (log != null) {
            log.log(entry(timing, requestBytes));
        }
        // last: who sees an exchange finished sees how
        stats.increment(ListenerMetric.EXCHANGES_FINISHED);
    }

    private AccessEntry entry(Timing timing, long requestBytes) {
        HttpHeaders fields = head.fields;
        return new AccessEntry(
                System.currentTimeMillis() - timing.totalNs() / 1_000_000,
                context.config().name(),
                frontend.client(),
                head.method.name(),
                head.target,
                frontend.version(),
                head.authority,
                status,
                failure == null ? null : failure.label(),
                requestBytes + tunnelledBytes,
                responseBytes,
                timing.totalNs() / 1_000,
                timing.backendNs() / 1_000,
                timing.proxyNs() / 1_000,
                route,
                endpoint,
                requestId,
                fields.get("Referer"),
                fields.get("User-Agent"));
    }
}
