package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.http.Rule;
import io.remora.http.WebSocketKeys;
import io.remora.stream.BackendStream;
import io.remora.stream.StreamClient;
import io.remora.transport.Deadline;
import org.jspecify.annotations.Nullable;

/**
 * One request on an HTTP/2 connection to an endpoint: its output, every wait for the endpoint, and its end.
 *
 * <p>Owner: one connection; {@link BackendResponse} has the input. Bounds: {@link TunnelTail} for content that outlives
 * its exchange. Spec: RFC 9113 section 8.1, RFC 8441.
 */
final class Http2BackendRequest extends BackendStream implements Deadline.Expirable {
    /** The part of the request that the endpoint gets next. */
    private enum Output {
        HEAD,
        BODY,
        TUNNEL,
        NOTHING
    }

    private final Http2BackendConnection connection;
    private final BackendCodec codec;
    private final Deadline deadline;
    private final boolean reused;
    private final BackendResponse response;
    private @Nullable StreamClient client;
    private Output output = Output.HEAD;
    /** Number of its stream, 0 until it is sent. */
    private int number;

    /** True once the endpoint may have seen something of it. */
    private boolean sent;

    /** True while the writer waits for the endpoint to take more. */
    private boolean blocked;

    private long sentNs;
    /** The rest of a tunnel that is over, and whose last content is still to leave; null for none. */
    private @Nullable TunnelTail tail;

    Http2BackendRequest(Http2BackendConnection connection, StreamClient client, boolean reused) {
        this.connection = connection;
        this.codec = connection.codec();
        this.deadline = connection.shared().loop().deadlines().add(this);
        this.client = client;
        this.reused = reused;
        this.response = new BackendResponse(this, connection);
    }

    int number() {
        return number;
    }

    boolean isSent() {
        return sent;
    }

    @Override
    public String version() {
        return "HTTP/2";
    }

    @Override
    public boolean isReused() {
        return reused;
    }

    // ---- the request

    @Override
    public void send(RequestHead head) {
        String upgrade = head.upgrade();
        String key = upgrade == null || !codec.takesConnect() ? null : head.fields.get(WebSocketKeys.KEY);
        if (upgrade != null && key == null && head.isMultiplexed()) {
            // which is no request at all without it
            fail(Failure.WEBSOCKET_REFUSED, null);
            return;
        }
        number = connection.number(this);
        if (number == 0) {
            fail(Failure.STREAM_REFUSED, null);
            return;
        }
        response.expect(head.isHead(), key);
        boolean none = head.bodyLength() == BodyLength.NONE;
        if (key != null) {
            output = Output.TUNNEL;
            codec.writeSection(number, BackendFields.connect(head, connection.scheme()), false);
        } else {
            output = none ? Output.NOTHING : Output.BODY;
            codec.writeSection(number, BackendFields.of(head, connection.scheme()), none);
        }
        // where it could not be written, that has been told by now
        sent = true;
        if (none && client != null) {
            awaitResponse();
        }
    }

    private void awaitResponse() {
        sentNs = connection.shared().loop().readyNs();
        deadline.set(connection.shared().config().responseHeaderNs());
    }

    @Override
    public void content(ByteBuf content) {
        if (isSending() && content.isReadable()) {
            codec.writeContent(number, content, false);
        } else {
            content.release();
        }
    }

    private boolean isSending() {
        return output == Output.BODY || output == Output.TUNNEL;
    }

    @Override
    public void end(@Nullable Fields trailers) {
        if (!isSending()) {
            return;
        }
        output = Output.NOTHING;
        if (trailers == null || trailers.isEmpty()) {
            codec.writeContent(number, Unpooled.EMPTY_BUFFER, true);
        } else {
            codec.writeSection(number, BackendFields.trailers(trailers), true);
        }
        if (response.isHeadDue() && client != null) {
            awaitResponse();
        }
    }

    @Override
    public void flush() {
        codec.flushUnlessReading();
    }

    @Override
    public void bound(int bytes) {
        connection.bound(bytes);
    }

    @Override
    public boolean isWritable() {
        boolean writable = !isSending() || codec.isWritable(number);
        StreamClient told = client;
        if (!writable && !blocked && told != null) {
            blocked = true;
            awaitRoom(told);
        }
        return writable;
    }

    // how long a tunnel may rest is its frontend's to say
    private void awaitRoom(StreamClient told) {
        if (output != Output.TUNNEL) {
            awaitPeer(told);
        }
    }

    /** Returns whether its writer waits although there is room, or does not although there is none. */
    boolean hasRoomChanged() {
        return client != null && isSending() && codec.isWritable(number) == blocked;
    }

    /** Tells its writer of the room that there is, where that has changed. */
    void roomChanged() {
        StreamClient told = client;
        if (told == null || !hasRoomChanged()) {
            return;
        }
        boolean writable = blocked;
        blocked = !writable;
        // before a tunnel there is the wait for a response, and in it its frontend's
        if (!writable) {
            awaitRoom(told);
        } else if (response.isBodyDue() && !response.isPaused()) {
            awaitContent(told);
        } else if (output != Output.TUNNEL) {
            deadline.clear();
        }
        told.writable(writable);
    }

    /** The endpoint takes more, if perhaps not enough. */
    void windowOpened() {
        StreamClient told = client;
        if (tail != null) {
            tail.moved();
        } else if (blocked && told != null) {
            awaitRoom(told);
        }
    }

    /** The endpoint gets no more of it, but may have answered. */
    void outputBroken() {
        StreamClient told = client;
        if (told != null && output == Output.BODY) {
            awaitPeer(told);
        }
    }

    // ---- the response

    /** Returns the receiver of its response's frames. */
    BackendResponse response() {
        return response;
    }

    /** Returns its client; null once nobody waits for it any more. */
    @Nullable
    StreamClient client() {
        return client;
    }

    private void awaitPeer(StreamClient told) {
        sentNs = connection.shared().loop().readyNs();
        deadline.set(told.bodyIdleNs());
    }

    /** Waits for content; for less time where the endpoint takes nothing of the request, as that is no silence. */
    void awaitContent(StreamClient told) {
        sentNs = connection.shared().loop().readyNs();
        deadline.set(blocked ? told.bodyIdleNs() : told.silenceNs());
    }

    void awaitNothing() {
        deadline.clear();
    }

    /** The endpoint has declined the tunnel: the request is one like any other now, and is whole. */
    void declined() {
        output = Output.NOTHING;
        codec.writeContent(number, Unpooled.EMPTY_BUFFER, true);
    }

    /** The endpoint has answered, and wants no more of it. */
    void needsNoMore() {
        output = Output.NOTHING;
    }

    void readComplete() {
        response.readComplete();
    }

    @Override
    public void read(boolean wanted) {
        response.read(wanted);
    }

    @Override
    public void openTunnel() {
        // the stream is one already
    }

    // ---- the end

    /** The endpoint has broken a rule, for which it fails. */
    void broke(Rule rule) {
        if (client != null) {
            client.ruleBroken(rule);
        }
    }

    /**
     * Reports a failure to the stream's client.
     *
     * @param error code for the endpoint, null for nothing
     */
    void fail(Failure failure, @Nullable ErrorCode error) {
        StreamClient told = client;
        try {
            if (told != null || tail != null) {
                conclude(error);
            }
        } finally {
            if (told != null) {
                told.broken(failure, response.hasBegun());
            }
        }
    }

    /** The endpoint has reset the stream. */
    void resetBy(long code) {
        StreamClient told = client;
        if (told != null) {
            told.resetBy(code);
        }
        fail(Failure.STREAM_RESET, null);
    }

    // both sides have ended, and the endpoint has not taken all that the client said
    private void linger(StreamClient told) {
        tail = TunnelTail.of(connection.shared().loop().memory(), deadline, told.bodyIdleNs());
        if (tail == null) {
            conclude(ErrorCode.CANCEL);
            return;
        }
        client = null;
        connection.lingers(this);
        // nobody else flushes for an exchange that is over
        codec.flushUnlessReading();
    }

    /** Returns whether the endpoint has got all of it by now, so that it is over. */
    boolean endIfSent() {
        boolean over = tail == null || codec.isSent(number);
        if (tail != null && over) {
            conclude(null);
        }
        return over;
    }

    // the response may be whole and the request not: the rest of it is not sent
    private void conclude(@Nullable ErrorCode error) {
        if (client != null && client.endsConnection()) {
            connection.givesUp();
        }
        client = null;
        if (tail != null) {
            tail.end();
            tail = null;
        }
        output = Output.NOTHING;
        deadline.cancel();
        try {
            response.release();
            if (error != null && number > 0) {
                codec.reset(number, error);
            } else if (number > 0) {
                // a request that waits gets the stream's place now, in the middle of the frame that has ended it
                codec.forget(number);
            }
        } finally {
            connection.ended(number);
        }
    }

    @Override
    public void onDeadline() {
        connection.waited(sentNs);
        boolean stalled = blocked && output != Output.TUNNEL || response.isBodyDue();
        fail(stalled ? Failure.BACKEND_STALLED : Failure.RESPONSE_TIMEOUT, ErrorCode.CANCEL);
    }

    @Override
    public void release() {
        StreamClient told = client;
        boolean saidAll = response.isTunnelsEnd() && output == Output.NOTHING;
        if (told != null && saidAll && !codec.isSent(number)) {
            linger(told);
        } else if (told != null) {
            // one that has ended in order on both sides needs no reset
            conclude(saidAll ? null : ErrorCode.CANCEL);
        }
    }

    @Override
    public void drop() {
        if (client != null) {
            boolean whole = response.isWhole() && codec.isSent(number);
            conclude(whole ? null : ErrorCode.CANCEL);
        }
    }

    @Override
    public void reset() {
        if (client != null) {
            conclude(ErrorCode.CANCEL);
        }
    }
}
