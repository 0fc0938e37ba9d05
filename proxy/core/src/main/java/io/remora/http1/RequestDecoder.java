package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.remora.config.Limits;
import io.remora.http.Failure;
import io.remora.transport.Loop;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Netty's request decoder behind a scan of each head, and behind a gate: it decodes no further than its frontend has
 * room for.
 *
 * <p>A head that breaks a rule comes out as a {@link Failure} message, and whatever follows it is dropped.
 *
 * <p>Owner: one frontend. Bounds: what waits at the gate is one read's bytes, for reading stops with it.
 */
final class RequestDecoder extends HttpRequestDecoder {
    private static final int SCRATCH_BYTES = 128;

    private final Gate gate;
    private final Loop loop;
    private final HeadScanner scanner;
    private @Nullable ChannelHandlerContext context;
    private boolean inHead = true;
    private boolean broken;
    private boolean decoding;
    private boolean shutdownDeferred;
    private int waiting;
    /** Of reads that began in a head. */
    private int headBytes;

    private int held;
    private boolean started;
    private long startedNs;
    private long readyNs;
    private long carriedNs;

    RequestDecoder(Gate gate, Loop loop, Limits limits) {
        super(new HttpDecoderConfig()
                .setMaxInitialLineLength(limits.requestLineBytes())
                .setMaxHeaderSize(limits.headerBlockBytes())
                .setMaxChunkSize(limits.bufferBytes())
                .setInitialBufferSize(SCRATCH_BYTES));
        this.gate = gate;
        this.loop = loop;
        this.scanner = new HeadScanner(limits.headerFields());
    }

    /** When the first bytes of the head that came out last were readable. */
    long startedNs() {
        return startedNs;
    }

    /** When the bytes that completed the head that came out last were readable. */
    long readyNs() {
        return readyNs;
    }

    /** What the reads before the one that completed the head took. */
    long carriedNs() {
        return carriedNs;
    }

    /** Whether a head has begun that is not whole. */
    boolean hasPartialHead() {
        return started && inHead && !broken;
    }

    /** The rest of a head is not waited for any longer; the wait was the client's. */
    void giveUpHead() {
        readyNs = loop.nowNs();
    }

    /** Whether bytes have come that are not decoded yet. */
    boolean hasWaiting() {
        return waiting > 0;
    }

    /** Whether bytes that are read now can only be those of a next request, and no others wait at the gate. */
    boolean mayReadAhead() {
        return inHead && waiting == 0;
    }

    /** Drops whatever else comes. */
    void discard() {
        broken = true;
        waiting = 0;
    }

    /** Goes on where the gate was shut; to be called when it has opened. */
    void resume() {
        ChannelHandlerContext at = context;
        // within a read the decoder asks the gate again by itself
        if (at == null || decoding) {
            return;
        }
        if (waiting > 0) {
            channelRead(at, Unpooled.EMPTY_BUFFER);
        }
        // what an open gate leaves waiting is a head that will never be whole
        if (shutdownDeferred && (waiting == 0 || gate.isOpen()) && !at.isRemoved()) {
            shutdownDeferred = false;
            userEventTriggered(at, ChannelInputShutdownEvent.INSTANCE);
        }
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        context = added;
    }

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        if (inHead && message instanceof ByteBuf bytes) {
            headBytes += bytes.readableBytes();
        }
        decoding = true;
        try {
            super.channelRead(at, message);
        } catch (Exception unexpected) {
            at.fireExceptionCaught(unexpected);
        } finally {
            decoding = false;
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext at) {
        if (hasPartialHead()) {
            carriedNs += loop.nowNs() - readyNs;
        }
        // not super's, which asks for another read when nothing came out, even where reading is meant to rest
        discardSomeReadBytes();
        holdWhatIsUnfinished(at);
        at.fireChannelReadComplete();
    }

    // many connections with unfinished heads must not come to more than the heap, though each keeps to its limit
    private void holdWhatIsUnfinished(ChannelHandlerContext at) {
        if (!hasPartialHead() && waiting == 0) {
            headBytes = 0;
        }
        if (!holdTo(headBytes) && hasPartialHead()) {
            discard();
            holdTo(0);
            at.fireChannelRead(Failure.OVERLOADED);
        }
    }

    private boolean holdTo(int bytes) {
        int delta = bytes - held;
        held = bytes;
        return delta == 0 || loop.hold(delta);
    }

    @Override
    protected void handlerRemoved0(ChannelHandlerContext at) throws Exception {
        holdTo(0);
        super.handlerRemoved0(at);
        if (shutdownDeferred) {
            at.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        if (event instanceof ChannelInputShutdownEvent && waiting > 0 && !gate.isOpen()) {
            // the requests that wait came before the end of input
            shutdownDeferred = true;
            return;
        }
        try {
            super.userEventTriggered(at, event);
        } catch (Exception unexpected) {
            at.fireExceptionCaught(unexpected);
        }
    }

    @Override
    protected void decode(ChannelHandlerContext at, ByteBuf in, List<Object> out) throws Exception {
        if (broken) {
            in.skipBytes(in.readableBytes());
        } else if (!inHead || gate.isOpen() && beginHead(in, out)) {
            int before = out.size();
            super.decode(at, in, out);
            follow(out, before);
        }
        waiting = in.readableBytes();
    }

    // whether the decoder may look at the bytes
    private boolean beginHead(ByteBuf in, List<Object> out) {
        if (!started) {
            skipEmptyLines(in);
            if (!in.isReadable() || isHalfAnEmptyLine(in)) {
                return false;
            }
            started = true;
            startedNs = loop.readyNs();
            carriedNs = 0;
        }
        readyNs = loop.readyNs();
        Failure failure = scanner.scan(in);
        if (failure == null) {
            return true;
        }
        broken = true;
        in.skipBytes(in.readableBytes());
        out.add(failure);
        return false;
    }

    // RFC 9112 2.2: empty lines before a request line are passed over
    private static void skipEmptyLines(ByteBuf in) {
        while (in.readableBytes() >= 2
                && in.getByte(in.readerIndex()) == '\r'
                && in.getByte(in.readerIndex() + 1) == '\n') {
            in.skipBytes(2);
        }
    }

    private static boolean isHalfAnEmptyLine(ByteBuf in) {
        return in.readableBytes() == 1 && in.getByte(in.readerIndex()) == '\r';
    }

    private void follow(List<Object> out, int before) {
        for (int i = before; i < out.size(); i++) {
            Object message = out.get(i);
            if (message instanceof HttpRequest request) {
                inHead = false;
                broken = request.decoderResult().isFailure();
            }
            if (message instanceof LastHttpContent last) {
                inHead = true;
                started = false;
                scanner.reset();
                broken = last.decoderResult().isFailure();
            }
        }
    }

    /** Whether the next request may be decoded. */
    interface Gate {
        boolean isOpen();
    }
}
