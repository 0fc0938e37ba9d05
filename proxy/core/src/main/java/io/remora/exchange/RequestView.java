package io.remora.exchange;

import io.remora.config.model.RouteConfig;
import io.remora.grpc.GrpcCall;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.GrpcStatus;
import io.remora.http.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * One request, as any filter may see it and act on it. The proxy's own stages see more of it, as a {@link StagedRequest}. A filter also
 * sees each attempt, as an {@link AttemptView}.
 *
 * <p>Owner: the exchange's event loop. An abstract class for the reason that {@code BackendStream} is one.
 */
public abstract class RequestView {
    final ListenerLoop listener;
    final Frontend frontend;
    final RequestHead head;
    final Outcome outcome;
    /** Null where it is no call of gRPC, or nobody looks for calls. */
    final @Nullable GrpcCall grpc;

    /** Only {@link Exchange} extends it. */
    RequestView(ListenerLoop listener, Frontend frontend, RequestHead head) {
        this.listener = listener;
        this.frontend = frontend;
        this.head = head;
        this.grpc = listener.grpc() != null && head.isGrpc() ? new GrpcCall(listener.grpc()) : null;
        this.outcome = new Outcome(listener, listener.snapshot(), frontend, head);
    }

    // ---- the request

    public final RequestHead head() {
        return head;
    }

    /** Address of the client without brackets or port: of the peer, or the one that trusted hops name. */
    public final String client() {
        return outcome.client();
    }

    /** Address of the other end of the connection, without brackets or port. */
    public final String peer() {
        return frontend.client();
    }

    /** The identity that the peer has proved, null for none. */
    public final @Nullable String identity() {
        return frontend.identity();
    }

    /** The scheme of the client's connection. */
    public final String scheme() {
        return frontend.scheme();
    }

    /** Returns whether its failure is reported as gRPC does. */
    public final boolean isGrpcCall() {
        return grpc != null;
    }

    /** The route that takes it, null until one is found. */
    public final @Nullable RouteConfig route() {
        return outcome.route();
    }

    /** The time as its event loop reads it. */
    public final long nowNs() {
        return listener.loop().nowNs();
    }

    // ---- what can be done

    /** Adds {@code filter} to those that see what this exchange brings from now on. */
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

    /** Returns how many attempts have been made. */
    public abstract int attempts();

    /** The final response's status, 0 where none was sent. */
    public final int status() {
        return outcome.status();
    }

    /** Failure of the exchange; null where it did not fail, or not yet. */
    public final @Nullable Failure failure() {
        return outcome.failure();
    }

    /** The status that the client of a gRPC call received; null where it received none, or it is no call. */
    public final @Nullable GrpcStatus grpcStatus() {
        return grpc == null ? null : grpc.status();
    }
}
