package io.remora.http1;

import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.remora.exchange.Exchange;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.Names;
import io.remora.http.Persistence;
import io.remora.http.ResponseHead;
import io.remora.http.ResponseRules;
import io.remora.transport.Deadline;
import org.jspecify.annotations.Nullable;

/**
 * Judges the response that a backend connection decodes, and hands it to the exchange without its version.
 *
 * <p>Owner: one backend connection, one response after the other.
 */
final class ResponseReader {
    private final Http1Backend backend;
    private final ResponseDecoder decoder;
    private final Deadline deadline;
    private long bodyIdleNs;
    private boolean toHead;
    private boolean headSeen;
    private boolean keepAlive;
    private boolean closeDelimited;
    private boolean ended;

    /**
     * @param deadline of the connection
     */
    ResponseReader(Http1Backend backend, ResponseDecoder decoder, Deadline deadline) {
        this.backend = backend;
        this.decoder = decoder;
        this.deadline = deadline;
    }

    /**
     * A request is on its way.
     *
     * @param isHead whether it is a HEAD
     * @param idleNs how long a body may rest
     */
    void expect(boolean isHead, long idleNs) {
        toHead = isHead;
        bodyIdleNs = idleNs;
        headSeen = false;
        keepAlive = false;
        ended = false;
        decoder.expect(isHead);
    }

    /** Whether the final response's head has come. */
    boolean isHeadSeen() {
        return headSeen;
    }

    boolean isEnded() {
        return ended;
    }

    /** Whether the backend would take another request behind this response. */
    boolean isKeptAlive() {
        return keepAlive;
    }

    /** Whether the response's body is read on; where it is not, the wait is for the client. */
    void readOn(boolean wanted) {
        if (headSeen && !ended) {
            if (wanted) {
                deadline.set(bodyIdleNs);
            } else {
                deadline.clear();
            }
        }
    }

    /** Takes over what was decoded; tells what is wrong with it, null for nothing. */
    @Nullable
    Failure take(Exchange current, Object message) {
        if (message instanceof HttpResponse response) {
            return takeHead(current, response);
        } else if (message instanceof HttpContent content) {
            return takeContent(current, content);
        } else if (message instanceof Failure failure) {
            return failure;
        }
        ReferenceCountUtil.release(message);
        return null;
    }

    private @Nullable Failure takeHead(Exchange current, HttpResponse response) {
        Failure failure = judge(response, current.isUpgrade());
        if (failure != null) {
            return failure;
        }
        HttpHeaders fields = response.headers();
        ResponseRules.normalizeLength(fields);
        long length = ResponseRules.bodyLength(response.status().code(), fields, toHead);
        ResponseHead head = new ResponseHead(response.status(), fields, length);
        long readyNs = decoder.firstByteNs();
        if (head.isInterim()) {
            decoder.expectAnother();
        } else {
            headSeen = true;
            keepAlive = isKeptAlive(response);
            closeDelimited = isCloseDelimited(head);
            deadline.set(bodyIdleNs);
        }
        current.response(head, readyNs);
        return null;
    }

    /**
     * @param switching whether the request asked for a protocol that a 101 may grant
     */
    private static @Nullable Failure judge(HttpResponse response, boolean switching) {
        if (response.decoderResult().isFailure()) {
            return DecodeFailures.ofResponse(response.decoderResult().cause());
        }
        HttpVersion version = response.protocolVersion();
        if (!HttpVersion.HTTP_1_1.equals(version) && !HttpVersion.HTTP_1_0.equals(version)) {
            return Failure.BAD_RESPONSE;
        }
        return ResponseRules.judge(response.status().code(), response.headers(), switching);
    }

    /** Whether only the connection's close ends the body. */
    private static boolean isCloseDelimited(ResponseHead head) {
        return head.bodyLength == BodyLength.UNKNOWN && !head.fields.contains(Names.TRANSFER_ENCODING);
    }

    /** HTTP/1.0 backends are not kept: what their connections allow is not worth a second rule. */
    private static boolean isKeptAlive(HttpResponse response) {
        return HttpVersion.HTTP_1_1.equals(response.protocolVersion()) && !Persistence.asksToClose(response.headers());
    }

    private @Nullable Failure takeContent(Exchange current, HttpContent content) {
        if (content.decoderResult().isFailure()) {
            content.release();
            return Failure.BAD_RESPONSE;
        }
        if (!headSeen || !content.content().isReadable()) {
            content.release();
        } else {
            deadline.set(bodyIdleNs);
            current.responseContent(content.content());
        }
        // without a head it is the end of an interim response
        return headSeen && content instanceof LastHttpContent last ? end(current, last) : null;
    }

    private @Nullable Failure end(Exchange current, LastHttpContent last) {
        if (closeDelimited && backend.isOutputBroken()) {
            // the reset that broke the output looks like an end to whoever reads on
            return Failure.BACKEND_CLOSED;
        }
        // the content may have ended the exchange
        if (backend.serves(current)) {
            ended = true;
            deadline.clear();
            decoder.expectNothing();
            HttpHeaders trailers = last.trailingHeaders();
            current.responseEnd(trailers.isEmpty() ? null : trailers);
        }
        return null;
    }
}
