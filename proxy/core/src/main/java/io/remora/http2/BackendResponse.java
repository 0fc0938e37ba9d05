package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import io.remora.http.Rule;
import io.remora.http.WebSocketKeys;
import io.remora.http2.hpack.FieldSection;
import io.remora.stream.BackendStream;
import io.remora.stream.StreamClient;
import org.jspecify.annotations.Nullable;

/**
 * The response to one request on an HTTP/2 connection to an endpoint: judged as its frames come, and handed on as fast as its client
 * takes it.
 *
 * <p>Owner: one request, which knows who waits for it. Bounds: what its client does not take, the cluster's {@code http2.window}; 100
 * interim responses. Spec: RFC 9113 section 8.1, RFC 8441.
 */
final class BackendResponse {
    /** Next part of the response from the endpoint. */
    private enum Input {
        /** An interim or the final response's head. */
        HEAD,
        BODY,
        TUNNEL,
        /** The response is whole. */
        NOTHING,
        /** The response is whole, on a stream that was a tunnel. */
        NOTHING_OF_TUNNEL
    }

    /** The read in which something of it has come last. */
    private enum Heard {
        NEVER,
        EARLIER,
        /** The end of this read is to be reported. */
        NOW
    }

    /** The version of its responses, as Via shows it. */
    private static final String VERSION = "2.0";

    private static final int SWITCHING_PROTOCOLS = 101;

    private final Http2BackendRequest request;
    private final Http2BackendConnection connection;
    private Input input = Input.HEAD;
    private boolean toHead;
    /** Key by which the request asked for a WebSocket, null for none. */
    private @Nullable String key;

    private Heard heard = Heard.NEVER;
    private boolean paused;
    private int interims;
    private long firstByteNs;
    /** Octets of content that are still to come, {@link BodyLength#UNKNOWN} where nobody has said. */
    private long left;
    /** Content that has come while its client took nothing; null for none. */
    private @Nullable HeldContent held;

    BackendResponse(Http2BackendRequest request, Http2BackendConnection connection) {
        this.request = request;
        this.connection = connection;
    }

    /**
     * Notes the kind of the request.
     *
     * @param proof by which it asked for a WebSocket, null for none
     */
    void expect(boolean head, @Nullable String proof) {
        toHead = head;
        key = proof;
    }

    /** Returns whether a byte of it has come. */
    boolean hasBegun() {
        return heard != Heard.NEVER;
    }

    boolean isHeadDue() {
        return input == Input.HEAD;
    }

    boolean isBodyDue() {
        return input == Input.BODY;
    }

    /** Returns whether its client takes no more of its body for now. */
    boolean isPaused() {
        return paused;
    }

    boolean isWhole() {
        return input == Input.NOTHING || input == Input.NOTHING_OF_TUNNEL;
    }

    /** Returns whether the answer to a WebSocket request, a grant or a refusal, has come to its end. */
    boolean isTunnelsEnd() {
        return key != null && isWhole();
    }

    private void touch() {
        if (heard != Heard.NOW) {
            heard = Heard.NOW;
            connection.touched(request);
        }
    }

    // ---- heads

    void headersRead(FieldSection section, boolean last) {
        StreamClient told = request.client();
        if (told == null) {
            return;
        }
        touch();
        if (input == Input.HEAD) {
            head(section, last, told);
        } else if (input == Input.BODY && last) {
            trailers(section);
        } else {
            malformed(input == Input.BODY ? Rule.END_OF_STREAM : Rule.FRAMES);
        }
    }

    private void head(FieldSection section, boolean last, StreamClient told) {
        if (firstByteNs == 0) {
            firstByteNs = connection.shared().loop().readyNs();
        }
        ResponseFields responses = connection.shared().responses();
        Fields fields = responses.head(section);
        int status = responses.status();
        if (fields == null || last && !isEndAfter(status, fields)) {
            malformed(fields == null ? responses.rule() : status < 200 ? Rule.END_OF_STREAM : Rule.LENGTH_DIFFERS);
            return;
        }
        long readyNs = firstByteNs;
        if (key != null && status >= 200) {
            if (status < 300) {
                fields.set(WebSocketKeys.ACCEPT, WebSocketKeys.accept(key));
                opened(fields, readyNs, last, told);
                return;
            }
            request.declined();
        }
        left = ResponseFields.bodyLength(status, fields, toHead, last);
        boolean mayGoOn = !last && !toHead && !ResponseHead.neverHasBody(status);
        long length = mayGoOn && left == BodyLength.NONE ? BodyLength.EMPTY : left;
        ResponseHead head = new ResponseHead(status, null, fields, length, VERSION);
        if (head.isInterim()) {
            interim(head, readyNs, told);
            return;
        }
        if (last) {
            input = Input.NOTHING;
        } else {
            input = Input.BODY;
            request.awaitContent(told);
        }
        told.response(head, readyNs);
        if (last) {
            endIfWaitedFor(null);
        }
    }

    // the stream is a tunnel, as which it is told as HTTP/1.1 tells it
    private void opened(Fields fields, long readyNs, boolean last, StreamClient told) {
        left = BodyLength.UNKNOWN;
        input = Input.TUNNEL;
        request.awaitNothing();
        told.response(new ResponseHead(SWITCHING_PROTOCOLS, null, fields, BodyLength.NONE, VERSION), readyNs);
        if (last) {
            endIfWaitedFor(null);
        }
    }

    // RFC 9113 8.1 and 8.1.1: not of an interim response, and not where content was announced
    private boolean isEndAfter(int status, Fields fields) {
        return status >= 200 && (toHead || ResponseHead.neverHasBody(status) || ResponseFields.announced(fields) <= 0);
    }

    private void interim(ResponseHead head, long readyNs, StreamClient told) {
        // the first bytes of the next one count again
        firstByteNs = 0;
        if (++interims > BackendStream.MAX_INTERIM) {
            malformed(Rule.TOO_MANY_INTERIMS);
        } else {
            told.response(head, readyNs);
        }
    }

    private void trailers(FieldSection section) {
        ResponseFields responses = connection.shared().responses();
        Fields trailers = responses.trailers(section);
        if (trailers == null || left > 0) {
            malformed(trailers == null ? responses.rule() : Rule.LENGTH_DIFFERS);
        } else {
            end(trailers);
        }
    }

    // ---- content

    /** Returns for how many of the octets its window stays closed for now. The caller releases {@code data}. */
    int dataRead(ByteBuf data, boolean last) {
        StreamClient told = request.client();
        if (told == null) {
            return 0;
        }
        touch();
        int octets = data.readableBytes();
        boolean announced = left != BodyLength.UNKNOWN;
        boolean due = input == Input.BODY || input == Input.TUNNEL;
        if (!due || announced && (octets > left || last && octets < left)) {
            malformed(due ? Rule.LENGTH_DIFFERS : Rule.FRAMES);
            return 0;
        }
        int unopened = octets > 0 ? take(data, octets, announced, told) : 0;
        if (last) {
            endIfWaitedFor(null);
        }
        return unopened;
    }

    private int take(ByteBuf data, int octets, boolean announced, StreamClient told) {
        left -= announced ? octets : 0;
        if (paused) {
            held().keep(data);
        } else {
            if (input == Input.BODY) {
                request.awaitContent(told);
            }
            told.content(data.retain());
        }
        // who takes no more may take what has come in time, and then its window is opened
        if (!paused || request.client() == null) {
            return 0;
        }
        held().owe(octets);
        return octets;
    }

    private HeldContent held() {
        HeldContent known = held;
        if (known == null) {
            known = new HeldContent(0);
            held = known;
        }
        return known;
    }

    private boolean handOnKept() {
        StreamClient told = request.client();
        ByteBuf content = told == null || held == null ? null : held.take();
        if (content == null || told == null) {
            return false;
        }
        told.content(content);
        return true;
    }

    /** Back-pressure: whether its client takes more. */
    void read(boolean wanted) {
        paused = !wanted;
        if (wanted && handOnKept()) {
            tellRead();
        }
        if (!paused && held != null) {
            connection.codec().taken(request.number(), held.pay());
        }
        StreamClient told = request.client();
        // where the body is not read on, the wait is for the client
        if (input == Input.BODY && told != null) {
            if (paused) {
                request.awaitNothing();
            } else {
                request.awaitContent(told);
            }
        }
    }

    // what has been handed on is flushed at the end of a read, and there may be none
    private void tellRead() {
        StreamClient told = request.client();
        if (connection.codec().isReading()) {
            touch();
        } else if (told != null) {
            told.readComplete();
        }
    }

    void readComplete() {
        heard = Heard.EARLIER;
        StreamClient told = request.client();
        if (told != null) {
            told.readComplete();
        }
    }

    // ---- the end

    private void endIfWaitedFor(@Nullable Fields trailers) {
        if (request.client() != null) {
            end(trailers);
        }
    }

    private void end(@Nullable Fields trailers) {
        // a whole response needs its connection no more
        handOnKept();
        StreamClient told = request.client();
        input = input == Input.TUNNEL ? Input.NOTHING_OF_TUNNEL : Input.NOTHING;
        request.awaitNothing();
        if (told != null) {
            told.end(trailers);
        }
    }

    /** The endpoint has reset the stream. */
    void resetRead(long error) {
        if (input == Input.NOTHING) {
            // RFC 9113 8.1: the response is whole, and the rest of the request is not needed
            request.needsNoMore();
        } else if (error == ErrorCode.REFUSED_STREAM.code() && heard == Heard.NEVER) {
            connection.codec().stats().refused();
            request.fail(Failure.STREAM_REFUSED, null);
        } else {
            if (input == Input.TUNNEL) {
                // what came before it is the client's, who had not taken it yet
                handOnKept();
            }
            request.resetBy(error);
        }
    }

    private void malformed(Rule rule) {
        request.broke(rule);
        request.fail(Failure.BAD_RESPONSE, ErrorCode.PROTOCOL_ERROR);
    }

    /** Drops the content that its client has not taken. */
    void release() {
        if (held != null) {
            held.release();
        }
    }
}
