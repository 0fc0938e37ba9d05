package io.remora.exchange;

import io.remora.config.model.RouteConfig;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.GrpcStatus;
import io.remora.http.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * One request, as any filter may see it and act on it. The proxy's own stages see more of it, as a {@link StagedRequest}. A filter also
 * sees each {@link Attempt}, which is not narrow yet.
 *
 * <p>Owner: the exchange's event loop. An abstract class for the reason that {@code BackendStream} is one.
 */
public abstract class RequestView {
    /** Only an {@link Exchange} is one. */
    RequestView() {}

    // ---- the request

    public abstract RequestHead head();

    /** Address of the client without brackets or port: of the peer, or the one that trusted hops name. */
    public abstract String client();

    /** Address of the other end of the connection, without brackets or port. */
    public abstract String peer();

    /** The identity that the peer has proved, null for none. */
    public abstract @Nullable String identity();

    /** The scheme of the client's connection. */
    public abstract String scheme();

    /** Returns whether its failure is reported as gRPC does. */
    public abstract boolean isGrpcCall();

    /** The route that takes it, null until one is found. */
    public abstract @Nullable RouteConfig route();

    /** The time as its event loop reads it. */
    public abstract long nowNs();

    // ---- what can be done

    /** From now on {@code filter} sees what this exchange brings. */
    public abstract void join(Filter filter);

    /** The request goes on to the next stage; for the stage that held it back. */
    public abstract void resume();

    /**
     * Answers instead of the backend. To a call of gRPC, {@code grpc-status} among the fields is the call's status.
     *
     * @param text the body, null for none
     */
    public abstract void respond(int status, Fields fields, @Nullable String text);

    /** Ends an exchange that cannot go on: with a response where none has begun, with a cut where one has. */
    public abstract void fail(Failure failure);

    /** Fails it as {@link #fail(Failure)} does; the response has {@code more} next to its own fields. */
    public abstract void fail(Failure failure, Fields more);

    // ---- how it went

    /** How many attempts have been made. */
    public abstract int attempts();

    /** The final response's status, 0 where none was sent. */
    public abstract int status();

    /** How it failed; null where it did not, or not yet. */
    public abstract @Nullable Failure failure();

    /** The status that the client of a gRPC call received; null where it received none, or it is no call. */
    public abstract @Nullable GrpcStatus grpcStatus();
}
