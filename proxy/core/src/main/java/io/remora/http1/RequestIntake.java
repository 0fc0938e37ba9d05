package io.remora.http1;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.remora.config.Limits;
import io.remora.exchange.Exchange;
import io.remora.exchange.ListenerContext;
import io.remora.http.Failure;
import io.remora.http.Persistence;
import io.remora.http.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * Lets a connection's requests begin one after the other, and hands each one's content to its exchange.
 *
 * <p>Owner: one frontend. Bounds: {@link MessageQueue}; a request waits for the exchange before it, and for a client
 * that reads its responses.
 */
final class RequestIntake {
    private final Http1Frontend frontend;
    private final ListenerContext context;
    private final Channel channel;
    private final RequestDecoder decoder;
    private final ResponseWriter writer;
    private final MessageQueue queue;
    private @Nullable Exchange exchange;
    /** The last content of the request in progress has not been taken yet. */
    private boolean open;

    private boolean bodyWanted = true;
    private boolean taking;
    /**
     * When the exchange before a request that was already there ended: until then it waited for its own client's order.
     */
    private long turnNs = Long.MIN_VALUE;

    RequestIntake(
            Http1Frontend frontend,
            ListenerContext context,
            Channel channel,
            RequestDecoder decoder,
            ResponseWriter writer) {
        Limits limits = context.config().limits();
        this.frontend = frontend;
        this.context = context;
        this.channel = channel;
        this.decoder = decoder;
        this.writer = writer;
        this.queue = new MessageQueue(limits.pipelinedRequests(), limits.bufferBytes(), context.loop());
    }

    /** The exchange in progress. */
    @Nullable
    Exchange exchange() {
        return exchange;
    }

    /** Whether another message may be decoded: not behind an upgrade, for what follows one may not be HTTP. */
    boolean hasRoom() {
        Exchange current = exchange;
        return queue.hasRoom() && (current == null || open || !current.isUpgrade());
    }

    /** Whether the body of the request in progress may be read on, where there is one. */
    boolean isBodyWanted() {
        return bodyWanted;
    }

    /** Whether that is news. */
    boolean wantBody(boolean wanted) {
        boolean changes = bodyWanted != wanted;
        bodyWanted = wanted;
        return changes;
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

    /** The exchange in progress is over. */
    @Nullable
    Exchange exchangeDone() {
        Exchange done = exchange;
        exchange = null;
        if (!queue.isEmpty() || decoder.hasWaiting()) {
            turnNs = context.loop().nowNs();
        }
        return done;
    }

    void release() {
        queue.release();
    }

    private boolean mayTake(Object message) {
        // what the decoder makes of an invalid head is both a request and content
        boolean begins = message instanceof HttpRequest || message instanceof Failure;
        return !begins || exchange == null && !open && channel.isWritable();
    }

    private void take(Object message) {
        if (frontend.isEnding()) {
            ReferenceCountUtil.release(message);
        } else if (message instanceof HttpRequest request) {
            open = true;
            begin(request);
        } else if (message instanceof HttpContent content) {
            takeContent(content, exchange);
        } else if (message instanceof Failure failure) {
            refuse(failure, null);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    private void begin(HttpRequest request) {
        RequestReader read = RequestReader.read(request, context.defaultAuthority());
        RequestHead head = read.head();
        if (head == null) {
            // the response to a HEAD has no content, whatever is wrong with it
            refuse(read.failure(), HttpMethod.HEAD.equals(request.method()) ? HttpMethod.HEAD : null);
            return;
        }
        boolean http11 = HttpVersion.HTTP_1_1.equals(request.protocolVersion());
        boolean asksToClose = head.facts.hasConnection() && Persistence.asksToClose(head.fields);
        bodyWanted = true;
        writer.begin(head.isHead(), http11, http11 && !asksToClose && !frontend.isDraining());
        newExchange(head, http11).start();
    }

    private Exchange newExchange(RequestHead head, boolean http11) {
        boolean waited = turnNs - decoder.readyNs() > 0 && turnNs != Long.MIN_VALUE;
        Exchange begun = new Exchange(
                context,
                writer,
                head,
                http11,
                waited ? turnNs : decoder.startedNs(),
                waited ? turnNs : decoder.readyNs(),
                waited ? 0 : decoder.carriedNs());
        exchange = begun;
        return begun;
    }

    /** Answers a request whose head cannot be read, and ends the connection. */
    void refuse(Failure failure, @Nullable HttpMethod method) {
        frontend.linger();
        open = false;
        writer.begin(method != null, true, false);
        newExchange(RequestReader.unreadable(method), true).refuse(failure);
    }

    /** Ends an exchange whose request turned out broken behind its head, and the connection. */
    private void breakOff(@Nullable Exchange current, Failure failure) {
        frontend.linger();
        open = false;
        if (current != null) {
            current.fail(failure);
        }
    }

    private void takeContent(HttpContent content, @Nullable Exchange current) {
        if (content.decoderResult().isFailure()) {
            content.release();
            breakOff(current, Failure.BAD_REQUEST);
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
        if (last && current != null && exchange == current) {
            end(current, (LastHttpContent) content);
        }
    }

    private void end(Exchange current, LastHttpContent last) {
        if (last.trailingHeaders().size() > context.config().limits().headerFields()) {
            breakOff(current, Failure.HEADERS_TOO_LARGE);
        } else {
            current.requestEnd(last.trailingHeaders().isEmpty() ? null : last.trailingHeaders());
        }
    }
}
