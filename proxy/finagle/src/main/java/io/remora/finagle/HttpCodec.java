package io.remora.finagle;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import io.remora.http1.BodyReader;
import io.remora.http1.ChunkWriter;
import io.remora.http1.HeadWriter;
import io.remora.http1.HopByHop;
import io.remora.http1.ResponseParser;
import io.remora.http1.SectionRules;
import io.remora.metrics.EndpointMetric;
import io.remora.metrics.EndpointStats;
import io.remora.transport.Link;
import io.remora.transport.Loop;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A connection to an endpoint below Finagle's transport: requests become octets, and octets become one response to each, by the
 * rules of the default engine.
 *
 * <p>What Finagle must never see ends the connection here: octets that nobody asked for, which it would keep for the next
 * request, and a response that breaks a rule. An interim response is told to who waits for the final one, and goes no further,
 * since Finagle would take it for final.
 *
 * <p>Owner: the event loop. Spec: RFC 9112 sections 6 and 9; RFC 9110 section 15.2.
 */
final class HttpCodec extends ChannelDuplexHandler {
    /** What the endpoint still gets. */
    private enum Output {
        NOTHING,
        /** Content as it is, of the declared length. */
        PLAIN,
        CHUNKS
    }

    /** What the endpoint still sends. */
    private enum Input {
        NOTHING,
        /** An interim or the final response's head. */
        HEAD,
        BODY
    }

    private static final byte[] EMPTY = {};

    private final Loop loop;
    private final Link link;
    private final HeadWriter heads;
    private final EndpointStats counts;
    private final Picked endpoint;
    private final Runnable closed;
    private final ResponseParser parser;
    private final BodyReader body;
    private Output output = Output.NOTHING;
    private Input input = Input.NOTHING;
    /** Of a request's body. */
    private long left;

    private @Nullable RequestStart request;
    private boolean served;
    /** Whether it is counted among those that wait for a request. */
    private boolean idle;

    private boolean anyByte;
    private boolean keepAlive;
    private boolean spoilt;
    private boolean closeDelimited;
    private long firstByteNs;
    private List<String> nominated = List.of();
    /** A head that waits for the rest of the read in which it came. */
    private @Nullable ResponseHead head;

    private byte[] held = EMPTY;

    HttpCodec(
            Loop loop,
            Link link,
            HeadWriter heads,
            SectionRules rules,
            EndpointStats counts,
            Picked endpoint,
            Runnable closed) {
        this.closed = closed;
        this.loop = loop;
        this.link = link;
        this.heads = heads;
        this.counts = counts;
        this.endpoint = endpoint;
        this.parser = new ResponseParser(rules);
        this.body = new BodyReader(rules.ofBody());
    }

    /** Whether it carries no further request. */
    boolean isSpoilt() {
        return spoilt;
    }

    /**
     * Whether the endpoint may have closed the connection before it saw the request: it had served before, and not a byte of a
     * response has come.
     */
    boolean mayBeStale() {
        return served && !anyByte;
    }

    // ---- the request

    @Override
    public void write(ChannelHandlerContext at, Object message, ChannelPromise done) throws Exception {
        if (message instanceof RequestStart start) {
            begin(at, start, done);
        } else if (message instanceof byte[] content) {
            content(at, content, done);
        } else if (message instanceof MessageEnd end) {
            end(at, end, done);
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
        if (spoilt
                || input != Input.NOTHING
                || output != Output.NOTHING
                || !at.channel().isActive()) {
            done.setFailure(new IOException("the connection carries no further request"));
            return;
        }
        request = start;
        anyByte = false;
        firstByteNs = 0;
        input = Input.HEAD;
        parser.expect(start.isHead(), false);
        FinagleStream waiting = start.waiting();
        if (waiting != null) {
            waiting.goesTo(endpoint);
        }
        endRest();
        counts.increment(EndpointMetric.EXCHANGES);
        if (served) {
            counts.increment(EndpointMetric.REUSED);
        }
        boolean chunked = start.length() == BodyLength.UNKNOWN;
        ByteBuf octets = heads.request(at.alloc(), start.method(), start.target(), start.fields(), chunked);
        byte[] content = start.content();
        if (content != null) {
            at.write(octets);
            at.write(Unpooled.wrappedBuffer(content), done);
            return;
        }
        left = start.length();
        output = chunked ? Output.CHUNKS : left == BodyLength.NONE ? Output.NOTHING : Output.PLAIN;
        at.write(octets, done);
    }

    private void content(ChannelHandlerContext at, byte[] octets, ChannelPromise done) {
        ByteBuf content = Unpooled.wrappedBuffer(octets);
        if (octets.length == 0) {
            done.setSuccess();
        } else if (output == Output.PLAIN && octets.length <= left) {
            left -= octets.length;
            at.write(content, done);
        } else if (output != Output.CHUNKS) {
            done.setFailure(new IOException("more content than the request declared"));
        } else if (ChunkWriter.isSmall(content)) {
            at.write(ChunkWriter.whole(at.alloc(), content), done);
        } else {
            at.write(ChunkWriter.start(at.alloc(), octets.length));
            at.write(content);
            at.write(ChunkWriter.end(), done);
        }
    }

    private void end(ChannelHandlerContext at, MessageEnd end, ChannelPromise done) {
        Output ended = output;
        if (ended == Output.PLAIN && left > 0) {
            done.setFailure(new IOException("less content than the request declared"));
            return;
        }
        output = Output.NOTHING;
        if (ended == Output.CHUNKS) {
            Fields trailers = end.trailers();
            at.write(trailers == null ? ChunkWriter.last() : ChunkWriter.last(at.alloc(), trailers), done);
        } else {
            done.setSuccess();
        }
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
            handOn(at);
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
            case DONE -> headRead(at);
        }
    }

    private void headRead(ChannelHandlerContext at) {
        ResponseHead whole = new ResponseHead(parser.status(), parser.reason(), parser.fields(), parser.bodyLength());
        boolean chunked = parser.isChunked();
        nominated = HopByHop.nominated(whole.fields, parser.connectionOptions());
        HopByHop.strip(whole.fields, nominated);
        if (!whole.isInterim()) {
            keepAlive = parser.isKeptAlive();
            closeDelimited = whole.bodyLength() == BodyLength.UNKNOWN && !chunked;
            body.begin(whole.bodyLength(), chunked, parser.blockOctets());
            head = whole;
            input = Input.BODY;
        }
        parser.reset();
        if (whole.isInterim()) {
            interim(at, whole);
        } else if (body.isEnded()) {
            bodyRead(at);
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

    @SuppressWarnings("ReferenceEquality") // the same buffer, not one with the same octets
    private void readBody(ChannelHandlerContext at, ByteBuf bytes) {
        ByteBuf content = body.read(bytes);
        if (content == bytes) {
            byte[] octets = ByteBufUtil.getBytes(bytes);
            bytes.skipBytes(octets.length);
            contentRead(at, octets);
        } else if (content != null) {
            byte[] octets = ByteBufUtil.getBytes(content);
            content.release();
            contentRead(at, octets);
        }
        if (body.failure() != null) {
            fail(at, Failure.BAD_RESPONSE);
        } else if (body.isEnded()) {
            bodyRead(at);
        }
    }

    private void contentRead(ChannelHandlerContext at, byte[] octets) {
        if (head != null && held.length == 0) {
            held = octets;
            return;
        }
        handOn(at);
        at.fireChannelRead(octets);
    }

    // what was held of a response that is not whole
    private void handOn(ChannelHandlerContext at) {
        ResponseHead first = head;
        if (first != null && input == Input.BODY) {
            head = null;
            at.fireChannelRead(new ResponseStart(first, firstByteNs, null));
            if (held.length > 0) {
                at.fireChannelRead(held);
                held = EMPTY;
            }
        }
    }

    private void bodyRead(ChannelHandlerContext at) {
        Fields trailers = body.trailers();
        if (trailers != null) {
            HopByHop.stripTrailers(trailers, nominated);
            handOn(at);
        }
        ResponseHead whole = head;
        input = Input.NOTHING;
        head = null;
        counts.decrement(EndpointMetric.EXCHANGES);
        // an endpoint that answers early may not take the rest of the request, which would stand before the next one
        spoilt |= !keepAlive || output != Output.NOTHING;
        if (!spoilt) {
            idle = true;
            counts.increment(EndpointMetric.IDLE);
        }
        if (whole == null) {
            at.fireChannelRead(trailers == null ? MessageEnd.WITHOUT_TRAILERS : new MessageEnd(trailers));
        } else {
            byte[] content = held;
            held = EMPTY;
            at.fireChannelRead(new ResponseStart(whole, firstByteNs, content));
        }
        if (!keepAlive) {
            at.close();
        }
    }

    private void endRest() {
        if (idle) {
            idle = false;
            counts.decrement(EndpointMetric.IDLE);
        }
    }

    private void fail(ChannelHandlerContext at, Failure failure) {
        spoilt = true;
        at.fireExceptionCaught(new EndpointFailure(failure));
        at.close();
    }

    // ---- the connection

    @Override
    public void channelInactive(ChannelHandlerContext at) {
        spoilt = true;
        if (input == Input.BODY && closeDelimited && body.endOfInput()) {
            bodyRead(at);
        }
        if (input != Input.NOTHING) {
            input = Input.NOTHING;
            counts.decrement(EndpointMetric.EXCHANGES);
        }
        endRest();
        closed.run();
        at.fireChannelInactive();
    }
}
