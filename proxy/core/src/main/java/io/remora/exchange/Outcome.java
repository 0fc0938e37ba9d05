package io.remora.exchange;

import io.remora.config.model.RouteConfig;
import io.remora.engine.Cluster;
import io.remora.grpc.GrpcCall;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.http.Rule;
import io.remora.http.TraceParent;
import io.remora.log.AccessEntry;
import io.remora.log.AccessLog;
import io.remora.metrics.ExchangeWatch;
import io.remora.metrics.ListenerMetric;
import io.remora.metrics.ListenerStats;
import io.remora.metrics.WatchedFailure;
import io.remora.text.Hex;
import org.jspecify.annotations.Nullable;

/** The result of an exchange, counted once and logged once. Owner: the exchange. */
final class Outcome {
    /** The least status that counts as a failure. */
    private static final int LEAST_FAILURE = 500;

    private final ListenerLoop listener;
    private final ListenerSnapshot snapshot;
    private final Frontend frontend;
    private final RequestHead head;
    /** Client and connection, kept for the log, which is written after the connection has gone. */
    private final @Nullable String identity;

    private final @Nullable String tlsVersion;
    private final @Nullable String tlsCipher;

    private @Nullable String client;
    private int status;
    private @Nullable Failure failure;
    private @Nullable Rule rule;
    private @Nullable RouteConfig route;
    private @Nullable String endpoint;
    private @Nullable String requestId;
    /** The trace's id; both 0 where no stage has told one. */
    private long traceHigh;

    private long traceLow;
    private boolean recorded;
    private @Nullable Cluster cluster;
    private @Nullable String attemptFailure;
    private @Nullable String backendVersion;
    private long responseBytes;

    Outcome(ListenerLoop listener, ListenerSnapshot snapshot, Frontend frontend, RequestHead head) {
        this.listener = listener;
        this.snapshot = snapshot;
        this.frontend = frontend;
        this.head = head;
        boolean logged = listener.accessLog() != null;
        this.identity = logged ? frontend.identity() : null;
        this.tlsVersion = logged ? frontend.tlsVersion() : null;
        this.tlsCipher = logged ? frontend.tlsCipher() : null;
    }

    String client() {
        return client == null ? frontend.client() : client;
    }

    void client(String address) {
        client = address;
    }

    void status(int newStatus) {
        status = newStatus;
    }

    void failure(Failure newFailure) {
        failure = newFailure;
    }

    /** One of its messages has broken this rule. */
    void broke(Rule broken) {
        if (failure == null) {
            rule = broken;
        }
    }

    /** The rule that one of its messages has broken, null for none. */
    @Nullable
    Rule rule() {
        return rule;
    }

    void route(RouteConfig taken) {
        route = taken;
    }

    @Nullable
    RouteConfig route() {
        return route;
    }

    int status() {
        return status;
    }

    @Nullable
    Failure failure() {
        return failure;
    }

    /**
     * @param spoken what is spoken to it, null as long as nothing is
     */
    void endpoint(String name, @Nullable String spoken) {
        endpoint = name;
        backendVersion = spoken;
    }

    void requestId(@Nullable String id) {
        requestId = id;
    }

    void trace(long high, long low) {
        traceHigh = high;
        traceLow = low;
    }

    /** The trace's spans of this exchange are kept. */
    void recorded() {
        recorded = true;
    }

    void cluster(Cluster asked) {
        cluster = asked;
    }

    void backendVersion(String spoken) {
        backendVersion = spoken;
    }

    void ended(Attempt attempt) {
        boolean shown = listener.accessLog() != null || listener.stats().watch() != null;
        String reason = shown ? attempt.reason() : null;
        if (reason != null) {
            attemptFailure = reason;
        }
    }

    long responseBytes() {
        return responseBytes;
    }

    void responseBytes(int more) {
        responseBytes += more;
    }

    /**
     * @param grpc null where it was no call of gRPC
     */
    void report(Timing timing, long requestBytes, int attempts, @Nullable GrpcCall grpc) {
        ListenerStats stats = listener.stats();
        if (failure != null) {
            stats.increment(ListenerMetric.FAILURES, failure.label());
        }
        RefusalLog refusals = rule == null ? null : listener.refusals();
        if (rule != null && refusals != null) {
            refusals.refused(failure, rule, client(), endpoint, listener.loop());
        }
        if (failure == Failure.CUT) {
            stats.increment(ListenerMetric.EXCHANGES_CUT);
        }
        if (status != 0) {
            stats.responded(status);
        }
        timing.recordTo(stats);
        if (recorded) {
            timing.exemplifyTo(stats, traceHigh, traceLow);
        }
        AccessLog log = listener.accessLog();
        try {
            ExchangeWatch watch = stats.watch();
            if (watch != null) {
                show(watch, timing, hasFailed(grpc));
            }
            if (log != null && log.takes(hasFailed(grpc))) {
                log.log(entry(timing, requestBytes, attempts, grpc));
            }
        } finally {
            // last: who sees an exchange finished sees how
            stats.increment(ListenerMetric.EXCHANGES_FINISHED);
        }
    }

    private void show(ExchangeWatch watch, Timing timing, boolean hasFailed) {
        String taken = route == null ? "" : route.name();
        String picked = endpoint == null ? "" : endpoint;
        String asked = cluster == null ? null : cluster.name();
        watch.ended(taken, asked == null ? "" : asked, picked, hasFailed, timing.proxyNs(), timing.totalNs());
        if (hasFailed && watch.takesFailure()) {
            watch.failed(new WatchedFailure(
                    System.currentTimeMillis(),
                    snapshot.config().name(),
                    taken,
                    picked,
                    client(),
                    status,
                    failure == null ? null : failure.label(),
                    rule == null ? null : rule.label(),
                    attemptFailure,
                    timing.totalNs()));
        }
    }

    /** Returns whether logs and traces report it as a failure. Called at its end. */
    boolean hasFailed(@Nullable GrpcCall grpc) {
        return failure != null || status >= LEAST_FAILURE || grpc != null && grpc.hasFailed(status);
    }

    private AccessEntry entry(Timing timing, long requestBytes, int attempts, @Nullable GrpcCall grpc) {
        Fields fields = head.fields;
        return new AccessEntry(
                System.currentTimeMillis() - timing.totalNs() / 1_000_000,
                snapshot.config().name(),
                client(),
                identity,
                head.method,
                head.target.toString(),
                frontend.version(),
                frontend.isRaw() && head.authority.length() == 0 ? null : head.authority.toString(),
                status,
                failure == null ? null : failure.label(),
                rule == null ? null : rule.label(),
                requestBytes,
                responseBytes,
                timing.totalNs() / 1_000,
                timing.backendNs(timing.endedNs()) / 1_000,
                timing.proxyNs() / 1_000,
                route == null ? null : route.name(),
                endpoint,
                requestId,
                fields.get(FieldName.REFERER),
                fields.get(FieldName.USER_AGENT),
                cluster == null ? null : cluster.name(),
                (traceHigh | traceLow) == 0 ? TraceParent.traceId(fields) : Hex.text(traceHigh, traceLow),
                attempts,
                attemptFailure,
                tlsVersion,
                tlsCipher,
                backendVersion,
                grpc == null ? null : grpc.label());
    }
}
