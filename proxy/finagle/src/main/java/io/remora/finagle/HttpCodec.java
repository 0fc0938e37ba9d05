package io.remora.finagle;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import io.remora.http.Rule;
import io.remora.http1.HeadWriter;
import io.remora.http1.SectionRules;
import io.remora.memory.LoopBudget;
import io.remora.metrics.EndpointStats;
import io.remora.stream.BackendStream;
import io.remora.transport.Link;
import io.remora.transport.Loop;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection to an endpoint below Finagle's transport: requests become octets, and octets become one response to
 * each, by the rules of the default engine.
 *
 * <p>Input that Finagle must never see ends the connection here: unsolicited octets, which it would keep for the next
 * request, and a response that breaks a rule. An interim response goes to the exchange that waits for the final one,
 * and no further, since Finagle would take it for final. After a switch of protocols a {@link Tunnel} stands in front
 * of it, and it only reports the end.
 *
 * <p>Owner: the event loop; {@link ResponseReader} reads what comes, {@link ConnectionUse} counts. Bounds: the octets
 * of a response that one read has brought. Spec: RFC 9112 sections 6 and 9; RFC 9110 section 15.2.
 */
final class HttpCodec extends ChannelDuplexHandler {
    /** The part of a response that the endpoint still sends. */
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
    private final ConnectionUse use;
    private final Picked endpoint;
    private final Consumer<HttpCodec> closed;
    private final ResponseReader reader;
    private final RequestWriter output;
    private Input input = Input.NOTHING;
    private @Nullable RequestStart request;
    private boolean anyByte;
    private boolean spoilt;
    /** True if nothing of the last request was written. */
    private boolean refused;
    /** True once the endpoint takes no more of a request; a response may still be there to be read. */
    private boolean outputBroken;
    /** True once no exchange takes any more of the response. */
    private boolean deaf;
    /** True while the endpoint's octets before a final response are not read. */
    private boolean paused;
    /** True if a read was requested meanwhile. */
    private boolean readHeld;

    /** Interim responses to the request so far. */
    private int interims;

    /** The time at which it got the request. */
    private long sentNs;

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
        this.output = new RequestWriter(heads);
        this.use = new ConnectionUse(counts);
        this.endpoint = endpoint;
        this.reader = new ResponseReader(loop, rules);
    }

    Loop loop() {
        return loop;
    }

    /** Returns whether it carries no further request. */
    boolean isSpoilt() {
        return spoilt || outputBroken || input == Input.TUNNEL;
    }

    /** Returns whether nothing of the last request was written. */
    boolean hasRefused() {
        return refused;
    }

    /**
     * Returns whether a connection that has just ended had served before, without a byte of a response to its last
     * request.
     */
    boolean isUsedAndUnanswered() {
        return use.hasServed() && !anyByte;
    }

    /**
     * Returns whether the endpoint has ended it so soon that it was at rest, as it seems, when the request was written.
     */
    boolean isStale() {
        return isUsedAndUnanswered() && loop.readyNs() - sentNs <= BackendStream.STALE_NS;
    }

    /** Closes a connection that waits for a request; tells whether it was one. */
    boolean closeIfIdle() {
        boolean rests = use.isResting();
        if (rests) {
            spoilt = true;
            link.channel().close();
        }
        return rests;
    }

    /** Reads what arrived in this turn of the loop, before an idle connection is used again. */
    void lookWhileIdle() {
        if (use.isResting()) {
            link.readNow();
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    // ---- what the exchange wants

    /** Bounds the connection's buffers by the exchange's grant from now on. */
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

    /** Drops the rest of the response, since the exchange has ended. */
    void leave(FinagleStream gone) {
        RequestStart last = request;
        if (last == null || !gone.equals(last.waiting())) {
            return;
        }
        deaf = true;
        readOn(true);
        unread.leave();
    }

    /** Notes that a write failed; the next read shows whether the endpoint has answered or is gone. */
    void outputBroken() {
        outputBroken = true;
        FinagleStream waiting = request == null ? null : request.waiting();
        if (waiting != null && input != Input.NOTHING) {
            waiting.outputBroken();
        }
    }

    /**
     * Opens the tunnel once the exchange has passed on the switch of protocols. From now on the exchange gets the
     * endpoint's octets, raw.
     */
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
            use.servesAgain();
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
        interims = 0;
        sentNs = loop.readyNs();
        input = Input.HEAD;
        deaf = false;
        reader.expect(start);
        if (waiting != null) {
            waiting.goesOver(this, endpoint);
        }
        use.begins();
        output.begin(at, start, done);
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
        ResponseHead whole = reader.head(bytes);
        Failure failure = reader.failure();
        if (whole != null) {
            headRead(at, whole, bytes.isReadable());
        } else if (failure != null) {
            tellRule();
            fail(at, failure);
        }
    }

    private void tellRule() {
        FinagleStream waiting = request == null ? null : request.waiting();
        Rule rule = reader.rule();
        if (waiting != null && rule != null) {
            waiting.ruleBroken(rule);
        }
    }

    private void headRead(ChannelHandlerContext at, ResponseHead whole, boolean more) {
        if (whole.isSwitch()) {
            input = Input.TUNNEL;
            at.fireChannelRead(new ResponseStart(whole, reader.readyNs(), false, null));
        } else if (whole.isInterim()) {
            interim(at, whole);
        } else {
            paused = false;
            unread.head(whole, reader.readyNs());
            input = Input.BODY;
            if (reader.hasEnded()) {
                bodyRead(at, more);
            }
        }
    }

    private void interim(ChannelHandlerContext at, ResponseHead whole) {
        FinagleStream waiting = request == null ? null : request.waiting();
        if (waiting == null) {
            fail(at, Failure.BAD_RESPONSE);
        } else if (++interims > BackendStream.MAX_INTERIM) {
            waiting.ruleBroken(Rule.TOO_MANY_INTERIMS);
            fail(at, Failure.BAD_RESPONSE);
        } else {
            waiting.interim(whole, reader.readyNs());
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

    private void readBody(ChannelHandlerContext at, ByteBuf bytes) {
        ByteBuf content = reader.content(bytes);
        if (content != null) {
            contentRead(at, content);
        }
        if (reader.isBroken()) {
            tellRule();
            fail(at, Failure.BAD_RESPONSE);
        } else if (reader.hasEnded()) {
            bodyRead(at, bytes.isReadable());
        }
    }

    private void contentRead(ChannelHandlerContext at, ByteBuf octets) {
        FinagleStream waiting = request == null ? null : request.waiting();
        if (deaf || !octets.isReadable()) {
            octets.release();
            return;
        }
        // a caller that is no exchange of ours never says when it is done with a buffer
        unread.content(at, waiting == null ? Piece.copied(octets) : new Piece(octets));
    }

    /**
     * @param more whether octets stand behind the response. The connection may not be used again then, because they
     *     would pass for the response to the next request
     */
    private void bodyRead(ChannelHandlerContext at, boolean more) {
        Fields trailers = reader.trailers();
        if (trailers != null) {
            unread.handOn(at);
        }
        input = Input.NOTHING;
        use.ended();
        // an endpoint that answers early may not take the rest of the request, which would stand before the next one
        spoilt |= more || !reader.isKeptAlive() || !output.isEnded() || outputBroken;
        if (!spoilt) {
            rests();
        }
        ResponseStart whole = unread.takeWhole();
        if (whole == null) {
            at.fireChannelRead(trailers == null ? MessageEnd.WITHOUT_TRAILERS : new MessageEnd(trailers));
        } else {
            at.fireChannelRead(whole);
        }
        if (more || !reader.isKeptAlive()) {
            at.close();
        }
    }

    /** Begins the wait for a request, whether it has served one or was made for an exchange that has gone. */
    void rests() {
        use.rests();
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
        // the reset that broke the output looks like an end to any further read
        if (input == Input.BODY && !outputBroken && reader.endsWithConnection()) {
            bodyRead(at, false);
        }
        input = Input.NOTHING;
        unread.end();
        use.closed();
        closed.accept(this);
        at.fireChannelInactive();
    }
}
