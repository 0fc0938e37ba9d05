package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.AsciiString;
import io.netty.util.ReferenceCountUtil;
import io.remora.http2.config.Http2Config;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The bridge from Netty's half of a connection to ours. Netty has the frames, the windows and the states of streams;
 * the {@link Http2FrontendConnection} gets all events, and decides.
 *
 * <p>Owner: one connection. Bounds: the SETTINGS frame to the client has them, and they hold from the first frame on.
 */
final class FrontendHandler extends CodecHandler implements FrontendCodec {
    /** Bytes of a body for which every grant has room. */
    static final int LEAST_WINDOW = 16 << 10;

    private final Http2FrontendConnection owner;
    private final FrontendFrames frames;

    private FrontendHandler(
            Http2FrontendConnection owner,
            Http2ConnectionDecoder decoder,
            FrontendEncoder encoder,
            FrontendFrames frames,
            Http2Settings settings) {
        super(decoder, encoder, settings);
        this.owner = owner;
        this.frames = frames;
    }

    static FrontendHandler of(Http2FrontendConnection owner, Http2Config config, PeerFrames credit) {
        Http2Connection connection = Http2Codec.connection(true);
        // not only once the client has said that it knows
        connection.remote().maxActiveStreams(config.maxConcurrentStreams());
        FrontendEncoder encoder =
                new FrontendEncoder(connection, new CreditingWriter(FrontendEncoder.headers(), credit));
        Http2ConnectionDecoder decoder = Http2Codec.decoder(
                connection,
                new FrontendWindows(owner, connection),
                encoder,
                new FrontendReader(owner, connection, new SectionDecoder(config.maxHeaderListBytes())),
                false);
        FrontendFrames frames = new FrontendFrames(owner, connection);
        decoder.frameListener(frames);
        connection.addListener(frames);
        return new FrontendHandler(owner, decoder, encoder, frames, settings(config));
    }

    private static Http2Settings settings(Http2Config config) {
        return new Http2Settings()
                .maxConcurrentStreams(config.maxConcurrentStreams())
                .connectProtocolEnabled(true)
                .initialWindowSize(Math.min(LEAST_WINDOW, config.streamWindowBytes()))
                .maxFrameSize(config.maxFrameBytes())
                .maxHeaderListSize(config.maxHeaderListBytes());
    }

    // ---- what comes

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        if (message instanceof ByteBuf bytes && !owner.isOver()) {
            owner.read(bytes);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    /** Takes over {@code frames}. */
    @Override
    public void decode(ByteBuf frames) {
        ChannelHandlerContext at = context;
        if (at == null) {
            frames.release();
            return;
        }
        try {
            super.channelRead(at, frames);
        } catch (Exception e) {
            onError(at, false, e);
        }
    }

    @Override
    protected void decode(ChannelHandlerContext at, ByteBuf in, List<Object> out) throws Exception {
        if (owner.isOver()) {
            in.skipBytes(in.readableBytes());
        } else {
            super.decode(at, in, out);
        }
    }

    // reading goes on as the owner has it
    @Override
    public void channelReadComplete(ChannelHandlerContext at) {
        owner.readComplete();
    }

    /**
     * A write may bring this about in the middle of a frame, or of content that Netty's flow control is about to count
     * as written. Nothing may be flushed into that frame, and no stream may add to that content.
     */
    @Override
    public void channelWritabilityChanged(ChannelHandlerContext at) throws Exception {
        FrontendTurn.Turn outer = owner.turn.hold();
        try {
            super.channelWritabilityChanged(at);
        } finally {
            owner.turn.letGo(outer);
        }
        if (!at.channel().isWritable()) {
            owner.turn.settleLater();
        } else if (outer != FrontendTurn.Turn.FLUSHING) {
            owner.turn.settle();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            owner.inputEnded();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext at) throws Exception {
        owner.closing();
        try {
            super.channelInactive(at);
        } finally {
            owner.streamsClosed();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        owner.broken(cause);
    }

    // ---- errors of the client's, and of whoever writes

    @Override
    protected void onConnectionError(
            ChannelHandlerContext at, boolean outbound, Throwable cause, @Nullable Http2Exception error) {
        if (error == null) {
            owner.broken(cause);
        } else {
            owner.faults.connectionError(code(error), error instanceof Http2Exception.HeaderListSizeException);
        }
    }

    @Override
    protected void onStreamError(
            ChannelHandlerContext at, boolean outbound, Throwable cause, Http2Exception.StreamException error) {
        if (error instanceof Http2Exception.HeaderListSizeException large && large.duringDecode()) {
            owner.faults.headersTooLarge(error.streamId());
        } else {
            owner.faults.streamError(error.streamId(), code(error), outbound);
        }
    }

    @Override
    public int lastStream() {
        return connection().remote().lastStreamCreated();
    }

    @Override
    public @Nullable ErrorCode headersTooLarge(int id) {
        try {
            frames.headersTooLarge(id);
            return null;
        } catch (Http2Exception e) {
            return code(e);
        }
    }

    @Override
    public boolean hasAnswered(int id) {
        Http2Stream stream = connection().stream(id);
        return stream != null && stream.state() == Http2Stream.State.HALF_CLOSED_LOCAL;
    }

    // ---- windows for what comes

    @Override
    public void widen(int octets) {
        Http2Stream all = connection().connectionStream();
        int more = octets - decoder().flowController().initialWindowSize(all);
        if (more > 0) {
            enlarge(all, more);
        }
    }

    @Override
    public void window(int id, int octets) {
        Http2Stream stream = connection().stream(id);
        if (stream != null) {
            enlarge(stream, octets - decoder().flowController().initialWindowSize(stream));
        }
    }

    private void enlarge(Http2Stream stream, int octets) {
        try {
            decoder().flowController().incrementWindowSize(stream, octets);
        } catch (Http2Exception e) {
            // grants bound the windows far below 2^31 - 1
            throw new IllegalStateException(e);
        }
    }

    @Override
    public boolean taken(int id, int octets) {
        try {
            return consume(id, octets);
        } catch (Http2Exception e) {
            // the stream went meanwhile, and with it what it owed
            return false;
        }
    }

    // ---- what goes

    @Override
    public boolean isWritable() {
        return context != null && context.channel().isWritable();
    }

    @Override
    public Queued queue(int id, ByteBuf content, FrontendOutput output) {
        Http2Stream stream = connection().stream(id);
        if (stream == null) {
            content.release();
            throw new IllegalStateException("content for a stream that is closed");
        }
        QueuedContent queued = new QueuedContent(this, output, stream, content);
        encoder().flowController().addFlowControlled(stream, queued);
        return queued;
    }

    @Override
    public void endStream(int id) {
        ChannelHandlerContext at = context;
        Http2Stream stream = connection().stream(id);
        if (at != null && stream != null) {
            closeStreamLocal(stream, frameWriter().writeData(at, id, Unpooled.EMPTY_BUFFER, 0, true, at.newPromise()));
        }
    }

    /** Netty drops all that waits of the stream as this side of it closes. */
    @Override
    public void endStreamEarly(int id, AsciiString[] trailers) {
        ChannelHandlerContext at = context;
        Http2Stream stream = connection().stream(id);
        if (at == null || stream == null) {
            return;
        }
        frameWriter().writeHeaders(at, id, headers(trailers), 0, true, at.newPromise());
        if (stream.state() == Http2Stream.State.OPEN) {
            stream.closeLocalSide();
        } else {
            stream.close();
        }
    }

    @Override
    public void reset(int id, long code) {
        writeReset(id, code);
    }

    @Override
    public void refuseAbove(int lastStream, long code) {
        ignoreAbove(lastStream, code);
    }

    @Override
    public void goAway(int lastStream, long code) {
        sayGoAway(lastStream, code);
    }

    @Override
    public void flush() {
        ChannelHandlerContext at = context;
        if (at != null) {
            flush(at);
        }
    }
}
