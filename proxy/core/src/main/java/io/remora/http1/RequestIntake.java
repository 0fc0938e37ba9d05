package io.remora.http1;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.remora.config.Limits;
import io.remora.exchange.Exchange;
import io.remora.http.Failure;
import io.remora.transport.Loop;
import org.jspecify.annotations.Nullable;

/**
 * Lets a connection's requests begin one after the other, and hands each one's content to its exchange.
 *
 * <p>Owner: one frontend. Bounds: {@link MessageQueue}; a request waits for the exchange before it, and for a client that reads its
 * responses.
 */
final class RequestIntake {
    private final Http1Frontend frontend;
    private final Channel channel;
    private final int maxTrailers;
    private final MessageQueue queue;
    /** The last content of the request in progress has not been taken yet. */
    private boolean open;

    private boolean taking;

    RequestIntake(Http1Frontend frontend, Channel channel, Limits limits, Loop loop) {
        this.frontend = frontend;
        this.channel = channel;
        this.maxTrailers = limits.headerFields();
        this.queue = new MessageQueue(limits.pipelinedRequests(), limits.bufferBytes(), loop);
    }

    boolean hasRoom() {
        return queue.hasRoom();
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** Whether content of the request in progress is still to come. */
    boolean isOpen() {
        return open;
    }

    /** Whether messages are being taken further up the stack, which then goes on by itself. */
    boolean isTaking() {
        return taking;
    }

    void add(Object message) {
        queue.add(message);
        takeAll();
    }

    /** Takes what may be taken now. */
    void takeAll() {
        if (taking) {
            return;
        }
        taking = true;
        try {
            Object message = queue.peek();
            while (message != null && mayTake(message)) {
                queue.poll();
                take(message);
                message = queue.peek();
            }
        } finally {
            taking = false;
        }
    }

    /** Nothing more of the request in progress will be taken. */
    void close() {
        open = false;
    }

    void release() {
        queue.release();
    }

    private boolean mayTake(Object message) {
        // what the decoder makes of an invalid head is both a request and content
        boolean begins = message instanceof HttpRequest || message instanceof Failure;
        return !begins || frontend.exchange() == null && !open && channel.isWritable();
    }

    private void take(Object message) {
        if (frontend.isEnding()) {
            ReferenceCountUtil.release(message);
        } else if (message instanceof HttpRequest request) {
            open = true;
            frontend.begin(request);
        } else if (message instanceof HttpContent content) {
            takeContent(content, frontend.exchange());
        } else if (message instanceof Failure failure) {
            frontend.refuse(failure, null);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    private void takeContent(HttpContent content, @Nullable Exchange current) {
        if (content.decoderResult().isFailure()) {
            content.release();
            frontend.breakOff(current, Failure.BAD_REQUEST);
            return;
        }
        boolean last = content instanceof LastHttpContent;
        open &= !last;
        if (current == null || !content.content().isReadable()) {
            content.release();
        } else {
            current.requestContent(content.content());
        }
        // the content may have ended the exchange
        if (last && current != null && frontend.exchange() == current) {
            end(current, (LastHttpContent) content);
        }
    }

    private void end(Exchange current, LastHttpContent last) {
        if (last.trailingHeaders().size() > maxTrailers) {
            frontend.breakOff(current, Failure.HEADERS_TOO_LARGE);
        } else {
            current.requestEnd(last.trailingHeaders().isEmpty() ? null : last.trailingHeaders());
        }
    }
}
