package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2LocalFlowController;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.util.ReferenceCountUtil;
import io.remora.config.model.Http2Config;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where Netty's half of a connection meets ours: it has the frames, the windows and the states of streams, and whatever
 * happens goes to the {@link Http2FrontendConnection}, which decides.
 *
 * <p>Owner: one connection. Bounds: what the client is told in SETTINGS holds from the first frame on.
 */
final class FrontendHandler extends CodecHandler {
    /** So many bytes of a body every grant has room for. */
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

    FrontendFrames frames() {
        return frames;
    }

    static FrontendHandler of(Http2FrontendConnection owner, Http2Config config, PeerFrames credit)
            throws Http2Exception {
        Http2Connection connection = Http2Codec.connection(true);
        // not only once the client has said that it knows
        connection.remote().maxActiveStreams(config.maxConcurrentStreams());
        FrontendEncoder encoder =
                new FrontendEncoder(connection, new CreditingWriter(FrontendEncoder.headers(), credit));
        Http2ConnectionDecoder decoder = Http2Codec.decoder(
                connection,
                new FrontendWindows(owner, connection),
                encoder,
                new FrontendReader(owner, connection, new LinesDecoder(config.maxHeaderListBytes())),
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
    void decode(ByteBuf frames) {
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
     * A write may be what brings this about, in the middle of a frame, or of a piece of content that Netty's flow control is about
     * to count as written. Nothing may be flushed into that frame, and no stream may add to that piece.
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
            owner.faults.connectionError(error);
        }
    }

    @Override
    protected void onStreamError(
            ChannelHandlerContext at, boolean outbound, Throwable cause, Http2Exception.StreamException error) {
        owner.faults.streamError(error, outbound);
    }

    /** Opens the connection's window that far. */
    void widen(int octets) throws Http2Exception {
        Http2LocalFlowController windows = decoder().flowController();
        Http2Stream all = connection().connectionStream();
        int more = octets - windows.initialWindowSize(all);
        if (more > 0) {
            windows.incrementWindowSize(all, more);
        }
    }

    // ---- what goes

    /** Returns what is done once the section has left for the kernel; null where the connection is gone. */
    @Nullable
    ChannelFuture writeHeaders(int stream, Http2Headers headers, boolean ends) {
        ChannelHandlerContext at = context;
        return at == null ? null : encoder().writeHeaders(at, stream, headers, 0, ends, at.newPromise());
    }

    /** True where the client takes what is written, so that little of it waits in the connection's queue. */
    boolean isWritable() {
        return context != null && context.channel().isWritable();
    }

    /** Ends {@code stream}, of which nothing waits, with a DATA frame that is empty. */
    void endStream(Http2Stream stream) {
        ChannelHandlerContext at = context;
        if (at != null) {
            closeStreamLocal(
                    stream, frameWriter().writeData(at, stream.id(), Unpooled.EMPTY_BUFFER, 0, true, at.newPromise()));
        }
    }

    /** Ends {@code stream} with trailers that overtake whatever of it waits, which Netty drops as this side of it closes. */
    void endStreamEarly(Http2Stream stream, Http2Headers trailers) {
        ChannelHandlerContext at = context;
        if (at == null) {
            return;
        }
        frameWriter().writeHeaders(at, stream.id(), trailers, 0, true, at.newPromise());
        if (stream.state() == Http2Stream.State.OPEN) {
            stream.closeLocalSide();
        } else {
            stream.close();
        }
    }

    /** Resets a stream, open or not; it is closed at once, so that nothing of it follows. */
    void reset(int id, long code) {
        ChannelHandlerContext at = context;
        if (at == null) {
            return;
        }
        Http2Stream stream = connection().stream(id);
        encoder().writeRstStream(at, id, code, at.newPromise());
        if (stream != null && stream.state() != Http2Stream.State.CLOSED) {
            stream.close();
        }
    }

    void goAway(int lastStream, long code) {
        ChannelHandlerContext at = context;
        if (at != null) {
            frameWriter().writeGoAway(at, lastStream, code, Unpooled.EMPTY_BUFFER, at.newPromise());
        }
    }

    void ping(long data) {
        ChannelHandlerContext at = context;
        if (at != null) {
            encoder().writePing(at, false, data, at.newPromise());
        }
    }

    void flush() {
        ChannelHandlerContext at = context;
        if (at != null) {
            flush(at);
        }
    }

    /** Keeps the lines of a section in the order in which they came; they are judged as a whole. */
    private static final class LinesDecoder extends DefaultHttp2HeadersDecoder {
        LinesDecoder(long maxHeaderListBytes) {
            super(false, maxHeaderListBytes);
        }

        @Override
        protected Http2Headers newHeaders() {
            return new RequestLines();
        }
    }
}
