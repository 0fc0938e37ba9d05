package io.remora.finagle;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import io.remora.http1.BodyReader;
import io.remora.http1.HeadWriter;
import io.remora.http1.HopByHop;
import io.remora.http1.ResponseParser;
import io.remora.http1.SectionRules;
import io.remora.memory.LoopBudget;
import io.remora.metrics.EndpointMetric;
import io.remora.metrics.EndpointStats;
import io.remora.stream.BackendStream;
import io.remora.transport.Link;
import io.remora.transport.Loop;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection to an endpoint below Finagle's transport: requests become octets, and octets become one response to each, by the
 * rules of the default engine.
 *
 * <p>What Finagle must never see ends the connection here: octets that nobody asked for, which it would keep for the next
 * request, and a response that breaks a rule. An interim response is told to who waits for the final one, and goes no further,
 * since Finagle would take it for final. Behind a switch of protocols a {@link Tunnel} stands before it, and what is left to do here
 * is to tell of the end.
 *
 * <p>Owner: the event loop. Bounds: of a response, what one read has brought. Spec: RFC 9112 sections 6 and 9; RFC 9110 section 15.2.
 */
final class HttpCodec extends ChannelDuplexHandler {
    /** What the endpoint still sends. */
    private enum Input {
        NOTHING,
        /** An interim or the final response's head. */
        HEAD,
        BODY,
        /** The endpoint has switched protocols. */
        TUNNEL
    }

    private final Loop loop;
    private final Link link;
    private final HeadWriter heads;
    private final EndpointStats counts;
    private final Picked endpoint;
    private final Consumer<HttpCodec> closed;
    private final ResponseParser parser;
    private final BodyReader body;
    private final BodyWriter output = new BodyWriter();
    private Input input = Input.NOTHING;
    private @Nullable RequestStart request;
    private boolean served;
    /** Whether it is counted among those that wait for a request. */
    private boolean idle;

    private boolean anyByte;
    private boolean keepAlive;
    private boolean spoilt;
    /** Whether nothing of the last request was written. */
    private boolean refused;
    /** Whether the endpoint takes no more of a request; a response may still be there to be read. */
    private boolean outputBroken;
    /** Whether nobody takes any more of the response. */
    private boolean deaf;
    /** Whether what the endpoint sends before a response is not read at the moment. */
    private boolean paused;
    /** Whether a read was asked for meanwhile. */
    private boolean readHeld;

    private boolean closeDelimited;
    /** When the request was given to it. */
    private long sentNs;

    private long firstByteNs;
    private List<String> nominated = List.of();
    private final Unread unread = new Unread();
    private @Nullable Tunnel tunnel;
    private @Nullable ChannelHandlerContext context;

    HttpCodec(
            Loop loop,
            Link link,
            HeadWriter heads,
            SectionRules rules,
            EndpointStats counts,
            Picked endpoint,
            Consumer<HttpCodec> closed) {
        this.closed = closed;
        this.loop = loop;
        this.link = link;
        this.heads = heads;
        this.counts = counts;
        this.endpoint = endpoint;
        this.parser = new ResponseParser(rules);
        this.body = new BodyReader(rules.ofBody());
    }

    Loop loop() {
        return loop;
    }

    /** Whether it carries no further request. */
    boolean isSpoilt() {
        return spoilt || outputBroken || input == Input.TUNNEL;
    }

    /** Whether nothing of the last request was written. */
    boolean hasRefused() {
        return refused;
    }

    /** Whether a connection that has just ended had served before, and not a byte of a response to its last request has come. */
    boolean isUsedAndUnanswered() {
        return served && !anyByte;
    }

    /** Whether the endpoint has ended it so soon that it was at rest, as it seems, when the request was written. */
    boolean isStale() {
        return isUsedAndUnanswered() && loop.readyNs() - sentNs <= BackendStream.STALE_NS;
    }

    /** Closes a connection that waits for a request; tells whether it was one. */
    boolean closeIfIdle() {
        boolean rests = idle;
        if (rests) {
            spoilt = true;
            link.channel().close();
        }
        return rests;
    }

    /** Has what arrived in this turn of the loop seen, before an idle connection is used again. */
    void lookWhileIdle() {
        if (idle) {
            link.readNow();
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    // ---- what the exchange wants

    /** From now on no buffer of the connection is to hold more than the exchange was granted. */
    void bound(int grant) {
        LoopBudget memory = loop.memory();
        link.bound(grant, memory.sendBytes(grant), memory.queued(grant));
    }

    /** Back-pressure before there is a final response, which Finagle does not see: whether interim ones are read. */
    void readOn(boolean wanted) {
        paused = !wanted;
        ChannelHandlerContext at = context;
        if (wanted && readHeld && at != null) {
            readHeld = false;
            at.read();
        }
    }

    @Override
    public void read(ChannelHandlerContext at) {
        if (paused && input == Input.HEAD || input == Input.TUNNEL && tunnel == null) {
            readHeld = true;
        } else {
            at.read();
        }
    }

    /** The exchange has ended, so that nobody takes what is left of its response. */
    void leave(FinagleStream gone) {
        RequestStart last = request;
        if (last == null || !gone.equals(last.waiting())) {
            return;
        }
        deaf = true;
        readOn(true);
        unread.leave();
    }

    /** What is written failed; what is read next tells whether the endpoint has answered or is gone. */
    void outputBroken() {
        outputBroken = true;
        FinagleStream waiting = request == null ? null : request.waiting();
        if (waiting != null && input != Input.NOTHING) {
            waiting.outputBroken();
        }
    }

    /** The exchange has passed the switch of protocols on: from now on it gets what the endpoint says, raw. */
    Tunnel openTunnel(FinagleStream to) {
        Tunnel opened = new Tunnel(link, to);
        tunnel = opened;
        ChannelHandlerContext at = context;
        if (at != null) {
            at.pipeline().addBefore(at.name(), null, opened);
        }
        ByteBuf early = unread.takeEarly();
        if (early != null) {
            opened.content(early);
        }
        return opened;
    }

    // ---- the request

    @Override
    public void write(ChannelHandlerContext at, Object message, ChannelPromise done) throws Exception {
        if (message instanceof RequestStart start) {
            begin(at, start, done);
        } else if (message instanceof Piece content) {
            output.content(at, content, done);
        } else if (message instanceof MessageEnd end) {
            output.end(at, end, done);
        } else {
            super.write(at, message, done);
        }
    }

    private void begin(ChannelHandlerContext at, RequestStart start, ChannelPromise done) {
        if (request != null) {
            served = true;
            // what arrived in this turn of the loop may not have been read yet, and would be taken for the response
            link.readNow();
        }
        FinagleStream waiting = start.waiting();
        refused = isSpoilt()
                || input != Input.NOTHING
                || !output.isEnded()
                || !at.channel().isActive()
                || waiting != null && waiting.isGone();
        if (refused) {
            done.setFailure(new IOException("the connection carries no further request"));
            return;
        }
        request = start;
        anyByte = false;
        sentNs = loop.readyNs();
        firstByteNs = 0;
        input = Input.HEAD;
        deaf = false;
        parser.expect(start.isHead(), start.upgrades());
        if (waiting != null) {
            waiting.goesOver(this, endpoint);
        }
        endRest();
        counts.increment(EndpointMetric.EXCHANGES);
        if (served) {
            counts.increment(EndpointMetric.REUSED);
        }
        boolean chunked = start.length() == BodyLength.UNKNOWN;
        ByteBuf octets = heads.request(at.alloc(), start.method(), start.target(), start.fields(), chunked);
        Piece content = start.content();
        if (content != null) {
            at.write(octets);
            at.write(content.take(), done);
            return;
        }
        output.begin(start.length());
        at.write(octets, done);
    }

    // ---- the response

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        if (!(message instanceof ByteBuf bytes)) {
            ReferenceCountUtil.release(message);
            return;
        }
        try {
            while (bytes.isReadable() && !spoilt) {
                read(at, bytes);
            }
            unread.handOn(at);
        } finally {
            bytes.release();
        }
    }

    private void read(ChannelHandlerContext at, ByteBuf bytes) {
        anyByte = true;
        switch (input) {
            case NOTHING -> spoil(at);
            case HEAD -> readHead(at, bytes);
            case BODY -> readBody(at, bytes);
            case TUNNEL -> readBehindSwitch(bytes);
        }
    }

    private void spoil(ChannelHandlerContext at) {
        spoilt = true;
        at.close();
    }

    private void readHead(ChannelHandlerContext at, ByteBuf bytes) {
        if (firstByteNs == 0) {
            firstByteNs = loop.readyNs();
        }
        switch (parser.parse(bytes)) {
            case MORE -> {}
            case REFUSED -> fail(at, parser.failure());
            case DONE -> headRead(at, bytes);
        }
    }

    private void headRead(ChannelHandlerContext at, ByteBuf bytes) {
        ResponseHead whole = new ResponseHead(parser.status(), parser.reason(), parser.fields(), parser.bodyLength());
        boolean chunked = parser.isChunked();
        nominated = HopByHop.nominated(whole.fields, parser.connectionOptions());
        HopByHop.strip(whole.fields, nominated);
        if (whole.isSwitch()) {
            parser.reset();
            input = Input.TUNNEL;
            at.fireChannelRead(new ResponseStart(whole, firstByteNs, false, null));
            return;
        }
        if (!whole.isInterim()) {
            paused = false;
            keepAlive = parser.isKeptAlive();
            closeDelimited = whole.bodyLength() == BodyLength.UNKNOWN && !chunked;
            body.begin(whole.bodyLength(), chunked, parser.blockOctets());
            unread.head(whole, firstByteNs);
            input = Input.BODY;
        }
        parser.reset();
        if (whole.isInterim()) {
            interim(at, whole);
        } else if (body.isEnded()) {
            bodyRead(at, bytes.isReadable());
        }
    }

    private void interim(ChannelHandlerContext at, ResponseHead whole) {
        FinagleStream waiting = request == null ? null : request.waiting();
        long readyNs = firstByteNs;
        firstByteNs = 0;
        if (waiting == null) {
            fail(at, Failure.BAD_RESPONSE);
        } else {
            waiting.interim(whole, readyNs);
        }
    }

    private void readBehindSwitch(ByteBuf bytes) {
        ByteBuf octets = bytes.readRetainedSlice(bytes.readableBytes());
        if (tunnel != null) {
            tunnel.content(octets);
        } else if (deaf) {
            octets.release();
        } else {
            unread.behindSwitch(octets);
        }
    }

    @SuppressWarnings("ReferenceEquality") // the same buffer, not one with the same octets
    private void readBody(ChannelHandlerContext at, ByteBuf bytes) {
        ByteBuf content = body.read(bytes);
        if (content == bytes) {
            contentRead(at, bytes.readRetainedSlice(bytes.readableBytes()));
        } else if (content != null) {
            contentRead(at, content);
        }
        if (body.failure() != null) {
            fail(at, Failure.BAD_RESPONSE);
        } else if (body.isEnded()) {
            bodyRead(at, bytes.isReadable());
        }
    }

    private void contentRead(ChannelHandlerContext at, ByteBuf octets) {
        FinagleStream waiting = request == null ? null : request.waiting();
        if (deaf || !octets.isReadable()) {
            octets.release();
            return;
        }
        // who is no exchange of ours never says when nobody takes a buffer any more
        unread.content(at, waiting == null ? Piece.copied(octets) : new Piece(octets));
    }

    /**
     * @param more whether octets stand behind the response: nobody may have the connection again, who would take them for the
     *     response to the next request
     */
    private void bodyRead(ChannelHandlerContext at, boolean more) {
        Fields trailers = body.trailers();
        if (trailers != null) {
            HopByHop.stripTrailers(trailers, nominated);
            unread.handOn(at);
        }
        input = Input.NOTHING;
        counts.decrement(EndpointMetric.EXCHANGES);
        // an endpoint that answers early may not take the rest of the request, which would stand before the next one
        spoilt |= more || !keepAlive || !output.isEnded() || outputBroken;
        if (!spoilt) {
            rests();
        }
        ResponseStart whole = unread.takeWhole();
        if (whole == null) {
            at.fireChannelRead(trailers == null ? MessageEnd.WITHOUT_TRAILERS : new MessageEnd(trailers));
        } else {
            at.fireChannelRead(whole);
        }
        if (more || !keepAlive) {
            at.close();
        }
    }

    /** It waits for a request, whether it has served one or was made for somebody who has left. */
    void rests() {
        idle = true;
        counts.increment(EndpointMetric.IDLE);
    }

    private void endRest() {
        if (idle) {
            idle = false;
            counts.decrement(EndpointMetric.IDLE);
        }
    }

    private void fail(ChannelHandlerContext at, Failure failure) {
        spoilt = true;
        // a response whose head was good has begun, and is cut
        unread.handOn(at);
        at.fireExceptionCaught(new EndpointFailure(failure));
        at.close();
    }

    // ---- the connection

    @Override
    public void channelInactive(ChannelHandlerContext at) {
        spoilt = true;
        // the reset that broke the output looks like an end to whoever reads on
        if (input == Input.BODY && closeDelimited && !outputBroken && body.endOfInput()) {
            bodyRead(at, false);
        }
        if (input != Input.NOTHING) {
            input = Input.NOTHING;
            counts.decrement(EndpointMetric.EXCHANGES);
        }
        unread.end();
        endRest();
        closed.accept(this);
        at.fireChannelInactive();
    }
}
