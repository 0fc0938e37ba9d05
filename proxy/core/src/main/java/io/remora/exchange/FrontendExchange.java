package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.GrpcStatus;
import io.remora.http.RequestHead;
import io.remora.http.Rule;
import io.remora.memory.Claim;
import org.jspecify.annotations.Nullable;

/**
 * One exchange, as the {@link Frontend} that began it drives it: the request's parts as they come, the client's
 * readiness, and its end.
 *
 * <p>Owner: the exchange's event loop. The exchange releases content that it receives. An interface, as its one
 * implementation extends {@link StagedRequest}; a frontend calls it a few times a request, and the compiler still binds
 * the calls.
 */
public interface FrontendExchange {
    /** Result for a stream that its endpoint has not reset; no code of HTTP/2 has this value. */
    long NOT_RESET = -1;

    /** Takes the request as far as it goes now; the body follows through {@link #requestContent}. */
    void start();

    // ---- the request's parts

    RequestHead head();

    /** Takes over {@code content}. */
    void requestContent(ByteBuf content);

    /**
     * The request is whole, or the client's side of a tunnel has ended.
     *
     * @param trailers null or empty for none
     */
    void requestEnd(@Nullable Fields trailers);

    boolean isRequestEnded();

    /** Flushes what has been written to the backend; called where a read from the client ends. */
    void flushRequest();

    // ---- the client's side

    /** The client's side can take more again, or cannot. */
    void frontendWritable(boolean writable);

    /** The claimant: a trusted client behind the peer by its address, otherwise the peer by its proven identity. */
    Object claimant();

    /** Its claim on the loop's memory, with the holder that ends it where its client has more than its share. */
    Claim claim(Claim.Holder holder);

    /** Its share of the loop's memory. */
    Grant grant();

    // ---- silence

    /** The longest rest of its body, in nanoseconds; unlimited if something else watches both sides. */
    long bodyIdleNs();

    /** The longest rest of its response once its client has ended its side, in nanoseconds; unlimited if something else watches it. */
    long answerIdleNs();

    /** The longest rest of its tunnel, in nanoseconds; then {@link #tunnelIdle} decides. */
    long tunnelIdleNs();

    /** Returns whether both sides speak raw by now. */
    boolean isTunnel();

    /**
     * The tunnel has not moved for {@link #tunnelIdleNs}: it ends, unless its route lets it rest and both sides have
     * taken what there is.
     *
     * @param clientBehind whether something waits for the client
     * @return whether it goes on
     */
    boolean tunnelIdle(boolean clientBehind);

    // ---- its end

    /** One of its messages has broken this rule, null for none; it fails for that. */
    void broke(@Nullable Rule rule);

    /** Ends an exchange that cannot go on: with a response where none has begun, with a cut where one has. */
    void fail(Failure failure);

    /** Fails it as {@link #fail(Failure)} does, for a rule that one of its messages has broken; null for none. */
    void fail(Failure failure, @Nullable Rule rule);

    /** Failure of the exchange; null where it did not fail, or not yet. */
    @Nullable
    Failure failure();

    /** The rule that one of its messages has broken, null for none. */
    @Nullable
    Rule rule();

    /** The final response's status, 0 where none was sent. */
    int status();

    /** The code by which its endpoint has reset the stream, and so ended it; {@link #NOT_RESET} where it has not. */
    long resetCode();

    /** Returns whether its failure is reported as gRPC does. */
    boolean isGrpcCall();

    /** The status that reports the failure to a client of gRPC. */
    GrpcStatus statusOf(Failure failure);

    /** Returns whether a client that ends its side cancels an exchange without a response. */
    boolean isCancelledByHalfClose();
}
