package io.remora.exchange;

import io.remora.config.model.RouteConfig;
import io.remora.engine.Cluster;
import io.remora.http.Failure;
import io.remora.http.RequestDtab;
import io.remora.http.Rule;
import io.remora.metrics.GrpcMethodStats;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * One request, as the proxy's own stages and their filters see it: they find its client, its route and its cluster, and say what holds for its
 * attempts.
 *
 * <p>Owner: the exchange's event loop.
 */
public abstract class StagedRequest extends RequestView {
    /** Only an {@link Exchange} is one. */
    StagedRequest() {}

    // ---- where it runs

    public abstract ListenerLoop listener();

    /** The snapshot that this exchange follows until its end, even where a reload has replaced it. */
    public abstract ListenerSnapshot snapshot();

    /** Its share of the loop's memory. */
    public abstract Grant grant();

    /** The claimant: a trusted client behind the peer by its address, otherwise the peer by what it has proved to be. */
    public abstract Object claimant();

    // ---- the request

    /** The time at which its first bytes were readable. */
    public abstract long startedNs();

    /** The time at which its event loop learnt that what it reads now was readable. */
    public abstract long readyNs();

    /** Returns whether its body is announced to be larger than {@code bytes}. */
    public abstract boolean announcesMoreThan(long bytes);

    // ---- its client

    /** The client is another one than the peer. */
    public abstract void client(String address);

    /** The destination that the connection had before it was redirected here, null where it was not. */
    public abstract @Nullable InetSocketAddress originalDestination();

    /**
     * The peer's certificate as X-Forwarded-Client-Cert shows it, null for none.
     *
     * @param pem whether it has the certificate itself, where that is not too long
     */
    public abstract @Nullable String forwardedCertificate(boolean pem);

    /** The peer's account of the request's way is trusted. */
    public abstract void believe();

    /** Returns whether a stage has trusted the peer. */
    public abstract boolean isBelieved();

    // ---- what the log shows

    /** The route that takes the request. */
    public abstract void route(RouteConfig taken);

    /** The request's id. */
    public abstract void requestId(@Nullable String id);

    /** The id of the trace that it is part of. */
    public abstract void trace(long high, long low);

    /** The spans of its trace are kept, so that it is an example of how long exchanges take. */
    public abstract void recorded();

    /** Counts the call among those of its method, too. */
    public abstract void countCall(GrpcMethodStats ofMethod);

    // ---- what holds for its attempts; each is set before the first

    /** Bounds how long the caller waits. */
    public abstract void callerDeadline(CallerDeadline deadline);

    /** Applies the client's deadline where it is a call of gRPC. */
    public abstract void grpcDeadline();

    /** Sets the delegations that the request has brought for its cluster's name. */
    public abstract void requestDtab(RequestDtab dtab);

    /** Hedges its first attempt. */
    public abstract void hedge(HedgeDelay delay);

    /** Begins its first attempt, at {@code cluster}; not where the exchange has ended meanwhile. */
    public abstract void dispatch(Cluster cluster);

    /** Fails it as {@link #fail(Failure)} does, for a rule that one of its messages has broken; null for none. */
    public abstract void fail(Failure failure, @Nullable Rule rule);

    // ---- how it went

    /** Returns whether the request has come whole. */
    public abstract boolean isRequestEnded();

    /** How long it has been in the proxy so far, as the log will show. */
    public abstract long proxyNs();

    /** How long the backend has been waited for so far. */
    public abstract long backendNs();

    /** Returns whether it has failed: by its status, that of gRPC or how it ended. Known at its end. */
    public abstract boolean hasFailed();
}
