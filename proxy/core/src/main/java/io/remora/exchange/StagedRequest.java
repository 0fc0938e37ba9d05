package io.remora.exchange;

import io.remora.config.model.RouteConfig;
import io.remora.engine.Cluster;
import io.remora.grpc.GrpcCounts;
import io.remora.http.Failure;
import io.remora.http.RequestDtab;
import io.remora.http.RequestHead;
import io.remora.http.Rule;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One request, as the proxy's own stages and their filters see it: they find its client, its route and its cluster, and say what holds for its
 * attempts.
 *
 * <p>Owner: the exchange's event loop.
 */
public abstract class StagedRequest extends RequestView {
    final ListenerSnapshot snapshot;
    final Timing timing;
    final RequestBody body;
    private boolean believed;

    /** Only {@link Exchange} extends it. */
    StagedRequest(ListenerLoop listener, Frontend frontend, RequestHead head, Timing timing) {
        super(listener, frontend, head);
        this.snapshot = listener.snapshot();
        this.timing = timing;
        this.body =
                new RequestBody(head.bodyLength(), snapshot.config().limits().bodyBytes());
    }

    // ---- where it runs

    public final ListenerLoop listener() {
        return listener;
    }

    /** The snapshot that this exchange follows until its end, even where a reload has replaced it. */
    public final ListenerSnapshot snapshot() {
        return snapshot;
    }

    /** Its share of the loop's memory. */
    public abstract Grant grant();

    /** The claimant: a trusted client behind the peer by its address, otherwise the peer by its proven identity. */
    public final Object claimant() {
        String peer = frontend.client();
        String client = outcome.client();
        return client.equals(peer) ? frontend.claimant() : client;
    }

    // ---- the request

    /** The time at which its first bytes were readable. */
    public final long startedNs() {
        return timing.startedNs();
    }

    /** The time at which its event loop learnt that what it reads now was readable. */
    public final long readyNs() {
        return listener.loop().readyNs();
    }

    /** Returns whether its body is announced to be larger than {@code bytes}. */
    public final boolean announcesMoreThan(long bytes) {
        return body.isAnnouncedLargerThan(bytes);
    }

    // ---- its client

    /** The client is another one than the peer. */
    public final void client(String address) {
        outcome.client(address);
    }

    /** The destination that the connection had before it was redirected here, null where it was not. */
    public final @Nullable InetSocketAddress originalDestination() {
        return frontend.originalDestination();
    }

    /**
     * The peer's certificate as X-Forwarded-Client-Cert shows it, null for none.
     *
     * @param pem whether it has the certificate itself, where that is not too long
     */
    public final @Nullable String forwardedCertificate(boolean pem) {
        return frontend.forwardedCertificate(pem);
    }

    /** The peer's account of the request's way is trusted. */
    public final void believe() {
        believed = true;
    }

    /** Returns whether a stage has trusted the peer. */
    public final boolean isBelieved() {
        return believed;
    }

    // ---- what the log shows

    /** The route that takes the request. */
    public final void route(RouteConfig taken) {
        outcome.route(taken);
    }

    /** The request's id. */
    public final void requestId(@Nullable String id) {
        outcome.requestId(id);
    }

    /** The id of the trace that it is part of. */
    public final void trace(long high, long low) {
        outcome.trace(high, low);
    }

    /** The spans of its trace are kept, so that it is an example of how long exchanges take. */
    public final void recorded() {
        outcome.recorded();
    }

    /** Counts the call among those of its method, too. */
    public final void countCall(GrpcCounts ofMethod) {
        if (grpc != null) {
            grpc.countAt(ofMethod);
        }
    }

    // ---- what holds for its attempts; each is set before the first

    /** Bounds how long the caller waits. */
    public abstract void callerDeadline(CallerDeadline deadline);

    /** Sets the delegations that the request has brought for its cluster's name. */
    public abstract void requestDtab(RequestDtab dtab);

    /** Hedges its first attempt. */
    public abstract void hedge(HedgeTrigger trigger);

    /** Begins its first attempt, at {@code cluster}; not where the exchange has ended meanwhile. */
    public abstract void dispatch(Cluster cluster);

    /** Fails it as {@link #fail(Failure)} does, for a rule that one of its messages has broken; null for none. */
    public abstract void fail(Failure failure, @Nullable Rule rule);

    // ---- how it went

    /** Returns whether the request has come whole. */
    public final boolean isRequestEnded() {
        return body.isEnded();
    }

    /** Returns for how long it has been in the proxy so far, as the log will show. */
    public final long proxyNs() {
        return timing.proxyNs(listener.loop().nowNs());
    }

    /** Returns for how long the backend has been waited for so far. */
    public final long backendNs() {
        return timing.backendNs(listener.loop().nowNs());
    }

    /** Returns whether it has failed: by its status, that of gRPC or how it ended. Known at its end. */
    public final boolean hasFailed() {
        return outcome.hasFailed(grpc);
    }
}
