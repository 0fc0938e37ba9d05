package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Headers;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.http.WebSocketKeys;
import io.remora.stream.BackendStream;
import io.remora.stream.StreamClient;
import io.remora.transport.Deadline;
import org.jspecify.annotations.Nullable;

/**
 * One request on an HTTP/2 connection to an endpoint, and the response to it.
 *
 * <p>Owner: one connection. Bounds: of a response that its client does not take, the cluster's {@code http2.window}; 100 interim
 * responses. Spec: RFC 9113 section 8.1, RFC 8441.
 */
final class BackendRequest extends BackendStream implements Deadline.Expirable {
    /** What the endpoint still gets. */
    private enum Output {
        HEAD,
        BODY,
        TUNNEL,
        NOTHING
    }

    /** What the endpoint still sends. */
    private enum Input {
        /** An interim or the final response's head. */
        HEAD,
        BODY,
        TUNNEL,
        NOTHING
    }

    /** The version of its responses, as Via shows it. */
    private static final String VERSION = "2.0";

    private static final int MAX_INTERIM = 100;
    private static final int SWITCHING_PROTOCOLS = 101;

    private final BackendConnection connection;
    private final BackendHandler handler;
    private final Deadline deadline;
    private final boolean reused;
    private @Nullable StreamClient client;
    private Output output = Output.HEAD;
    private Input input = Input.HEAD;
    /** 0 until it is sent. */
    private int number;

    /** Whether the endpoint may have seen something of it. */
    private boolean sent;

    private boolean toHead;
    private boolean anyByte;
    private boolean paused;
    /** Whether somebody waits for the endpoint to take more. */
    private boolean blocked;

    private boolean touched;
    private int interims;
    private long firstByteNs;
    private long sentNs;
    /** Octets of content that are still to come, {@link BodyLength#UNKNOWN} where nobody has said. */
    private long left;

    private final HeldContent held;
    /** By which a WebSocket was asked for, null for none. */
    private @Nullable String key;
    /** Whether it became a tunnel. */
    private boolean opened;
    /** Whether nobody waits for it any more, and what was written last is still to leave. */
    private boolean lingering;

    private long lingerNs;

    BackendRequest(BackendConnection connection, StreamClient client, boolean reused) {
        this.connection = connection;
        this.handler = connection.handler();
        this.deadline = connection.shared().loop().deadlines().add(this);
        this.client = client;
        this.reused = reused;
        this.held = new HeldContent(connection.link().channel().alloc());
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
        toHead = head.isHead();
        String upgrade = head.upgrade();
        key = upgrade == null || !handler.takesConnect() ? null : head.fields.get(WebSocketKeys.KEY);
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
        boolean none = head.bodyLength() == BodyLength.NONE;
        if (key != null) {
            output = Output.TUNNEL;
            handler.writeHead(number, BackendFields.connect(head, connection.scheme()), false);
        } else {
            output = none ? Output.NOTHING : Output.BODY;
            handler.writeHead(number, BackendFields.of(head, connection.scheme()), none);
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

    private void awaitPeer(StreamClient told) {
        sentNs = connection.shared().loop().readyNs();
        deadline.set(told.bodyIdleNs());
    }

    @Override
    public void content(ByteBuf content) {
        if (isSending() && content.isReadable()) {
            handler.writeContent(number, content, false);
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
            handler.writeContent(number, Unpooled.EMPTY_BUFFER, true);
        } else {
            handler.writeHead(number, BackendFields.trailers(trailers), true);
        }
        if (input == Input.HEAD && client != null) {
            awaitResponse();
        }
    }

    @Override
    public void flush() {
        handler.flushUnlessReading();
    }

    @Override
    public void bound(int bytes) {
        connection.bound(bytes);
    }

    @Override
    public boolean isWritable() {
        boolean writable = !isSending() || handler.isWritable(number);
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

    void writabilityChanged(boolean writable) {
        StreamClient told = client;
        if (told == null || !isSending() || writable != blocked) {
            return;
        }
        blocked = !writable;
        // before a tunnel there is the wait for a response, and in it its frontend's
        if (!writable || input == Input.BODY && !paused) {
            awaitRoom(told);
        } else if (output != Output.TUNNEL) {
            deadline.clear();
        }
        told.writable(writable);
    }

    /** The endpoint takes more, if perhaps not enough. */
    void windowOpened() {
        StreamClient told = client;
        if (lingering) {
            deadline.set(lingerNs);
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

    private void touch() {
        anyByte = true;
        if (!touched) {
            touched = true;
            connection.touched(this);
        }
    }

    void headersRead(Http2Headers headers, boolean last) {
        StreamClient told = client;
        if (told == null) {
            return;
        }
        touch();
        if (input == Input.HEAD) {
            head(headers, last, told);
        } else if (input == Input.BODY && last) {
            trailers(headers);
        } else {
            malformed();
        }
    }

    private void head(Http2Headers headers, boolean last, StreamClient told) {
        if (firstByteNs == 0) {
            firstByteNs = connection.shared().loop().readyNs();
        }
        ResponseFields responses = connection.shared().responses();
        Fields fields = responses.head(headers);
        int status = responses.status();
        if (fields == null || last && !isEndAfter(status, fields)) {
            malformed();
            return;
        }
        long readyNs = firstByteNs;
        if (key != null && status >= 200) {
            if (status < 300) {
                fields.set(WebSocketKeys.ACCEPT, WebSocketKeys.accept(key));
                opened(fields, readyNs, last, told);
                return;
            }
            declined();
        }
        left = ResponseFields.bodyLength(status, fields, toHead, last);
        ResponseHead head = new ResponseHead(status, null, fields, left, VERSION);
        if (head.isInterim()) {
            interim(head, readyNs, told);
            return;
        }
        if (last) {
            input = Input.NOTHING;
        } else {
            input = Input.BODY;
            awaitPeer(told);
        }
        told.response(head, readyNs);
        if (last && client != null) {
            responseEnd(null);
        }
    }

    // it is a request like any other then, and is whole
    private void declined() {
        output = Output.NOTHING;
        handler.writeContent(number, Unpooled.EMPTY_BUFFER, true);
    }

    // the stream is a tunnel, as which it is told as HTTP/1.1 tells it
    private void opened(Fields fields, long readyNs, boolean last, StreamClient told) {
        left = BodyLength.UNKNOWN;
        opened = true;
        input = Input.TUNNEL;
        deadline.clear();
        told.response(new ResponseHead(SWITCHING_PROTOCOLS, null, fields, BodyLength.NONE, VERSION), readyNs);
        if (last && client != null) {
            responseEnd(null);
        }
    }

    // RFC 9113 8.1 and 8.1.1: not of an interim response, and not where content was announced
    private boolean isEndAfter(int status, Fields fields) {
        return status >= 200 && (toHead || ResponseHead.neverHasBody(status) || ResponseFields.announced(fields) <= 0);
    }

    private void interim(ResponseHead head, long readyNs, StreamClient told) {
        // the next one's first bytes count anew
        firstByteNs = 0;
        if (++interims > MAX_INTERIM) {
            malformed();
        } else {
            told.response(head, readyNs);
        }
    }

    private void trailers(Http2Headers headers) {
        Fields trailers = connection.shared().responses().trailers(headers);
        if (trailers == null || left > 0) {
            malformed();
        } else {
            responseEnd(trailers);
        }
    }

    /** Tells how many of the octets its window is not to be opened for yet. The caller releases {@code data}. */
    int dataRead(ByteBuf data, boolean last) {
        StreamClient told = client;
        if (told == null) {
            return 0;
        }
        touch();
        int octets = data.readableBytes();
        boolean announced = left != BodyLength.UNKNOWN;
        boolean due = input == Input.BODY || input == Input.TUNNEL;
        if (!due || announced && (octets > left || last && octets < left)) {
            malformed();
            return 0;
        }
        int unopened = octets > 0 ? take(data, octets, announced, told) : 0;
        if (last && client != null) {
            responseEnd(null);
        }
        return unopened;
    }

    private int take(ByteBuf data, int octets, boolean announced, StreamClient told) {
        left -= announced ? octets : 0;
        if (paused) {
            held.keep(data);
        } else {
            if (input == Input.BODY) {
                awaitPeer(told);
            }
            told.content(data.retain());
        }
        // who takes no more may take what has come in time, and then its window is opened
        int unopened = paused && client != null ? octets : 0;
        held.owe(unopened);
        return unopened;
    }

    private boolean handOnKept() {
        StreamClient told = client;
        ByteBuf content = told == null ? null : held.take();
        if (content == null || told == null) {
            return false;
        }
        told.content(content);
        return true;
    }

    private void responseEnd(@Nullable Fields trailers) {
        // a whole response needs its connection no more
        handOnKept();
        StreamClient told = client;
        input = Input.NOTHING;
        deadline.clear();
        if (told != null) {
            told.end(trailers);
        }
    }

    void readComplete() {
        touched = false;
        StreamClient told = client;
        if (told != null) {
            told.readComplete();
        }
    }

    @Override
    public void read(boolean wanted) {
        paused = !wanted;
        if (wanted && handOnKept()) {
            tellRead();
        }
        if (!paused) {
            handler.taken(number, held.pay());
        }
        StreamClient told = client;
        // where the body is not read on, the wait is for the client
        if (input == Input.BODY && told != null) {
            if (paused) {
                deadline.clear();
            } else {
                awaitPeer(told);
            }
        }
    }

    // what has been handed on is flushed at the end of a read, and there may be none
    private void tellRead() {
        StreamClient told = client;
        if (handler.isReading()) {
            touch();
        } else if (told != null) {
            told.readComplete();
        }
    }

    @Override
    public void openTunnel() {
        // the stream is one already
    }

    // ---- the end

    /** The endpoint has reset the stream. */
    void resetRead(long error) {
        if (input == Input.NOTHING && !opened) {
            // RFC 9113 8.1: the response is whole, and the rest of the request is not needed
            output = Output.NOTHING;
        } else if (error == Http2Error.REFUSED_STREAM.code() && !anyByte) {
            handler.stats().refused();
            fail(Failure.STREAM_REFUSED, null);
        } else {
            if (input == Input.TUNNEL) {
                // what came before it is the client's, who had not taken it yet
                handOnKept();
            }
            fail(Failure.STREAM_RESET, null);
        }
    }

    private void malformed() {
        fail(Failure.BAD_RESPONSE, Http2Error.PROTOCOL_ERROR);
    }

    /**
     * Tells whoever asked for the stream that it came to nothing.
     *
     * @param error what the endpoint is told, null for nothing
     */
    void fail(Failure failure, @Nullable Http2Error error) {
        StreamClient told = client;
        if (told != null || lingering) {
            conclude(error);
        }
        if (told != null) {
            told.broken(failure, anyByte);
        }
    }

    // both sides have ended, and the endpoint has not taken all that the client said
    private void linger(StreamClient told) {
        lingering = true;
        lingerNs = told.bodyIdleNs();
        deadline.set(lingerNs);
        client = null;
        connection.lingers(this);
        // nobody else flushes for an exchange that is over
        handler.flushUnlessReading();
    }

    /** Whether the endpoint has got all of it by now, so that it is over. */
    boolean endIfSent() {
        boolean over = !lingering || handler.isSent(number);
        if (lingering && over) {
            conclude(null);
        }
        return over;
    }

    // the response may be whole and the request not: the rest of it is not sent
    private void conclude(@Nullable Http2Error error) {
        if (client != null && client.endsConnection()) {
            connection.givesUp();
        }
        client = null;
        lingering = false;
        output = Output.NOTHING;
        deadline.cancel();
        held.release();
        if (error != null && number > 0) {
            handler.reset(number, error);
        }
        connection.ended(number);
    }

    @Override
    public void onDeadline() {
        connection.waited(sentNs);
        boolean stalled = blocked && output != Output.TUNNEL || input == Input.BODY;
        fail(stalled ? Failure.BACKEND_STALLED : Failure.RESPONSE_TIMEOUT, Http2Error.CANCEL);
    }

    @Override
    public void release() {
        StreamClient told = client;
        boolean saidAll = key != null && input == Input.NOTHING && output == Output.NOTHING;
        if (told != null && saidAll && !handler.isSent(number)) {
            linger(told);
        } else if (told != null) {
            // one that has ended in order on both sides needs no reset
            conclude(saidAll ? null : Http2Error.CANCEL);
        }
    }

    @Override
    public void drop() {
        if (client != null) {
            boolean whole = input == Input.NOTHING && handler.isSent(number);
            conclude(whole ? null : Http2Error.CANCEL);
        }
    }

    @Override
    public void reset() {
        if (client != null) {
            conclude(Http2Error.CANCEL);
        }
    }
}
