package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2Connection;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionDecoder;
import io.netty.handler.codec.http2.DefaultHttp2ConnectionEncoder;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.DefaultHttp2FrameWriter;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.DefaultHttp2LocalFlowController;
import io.netty.handler.codec.http2.DefaultHttp2RemoteFlowController;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2EventAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Exception.StreamException;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2PromisedRequestVerifier;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.UniformStreamByteDistributor;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A connection by Netty's decoder, encoder, HPACK and windows: the oracle of {@link CodecFuzz}. Fields are not judged, as
 * that is done above a codec.
 *
 * <p>Owner: one thread.
 */
final class NettySide implements CodecSide {
    private final boolean takes;
    private final CodecLog log;
    private final Http2Connection connection;
    private final Handler handler;
    private final EmbeddedChannel channel;
    private final Set<Integer> reset = new HashSet<>();
    private boolean over;

    /**
     * @param takes whether content is taken at once, so that its windows are opened
     */
    NettySide(boolean isServer, boolean takes) {
        this.takes = takes;
        this.log = new CodecLog(isServer);
        this.connection = new DefaultHttp2Connection(isServer, 0);
        if (isServer) {
            connection.remote().maxActiveStreams(CodecScript.MOST_STREAMS);
        }
        connection
                .remote()
                .flowController(
                        new DefaultHttp2RemoteFlowController(connection, new UniformStreamByteDistributor(connection)));
        Http2ConnectionEncoder encoder = new DefaultHttp2ConnectionEncoder(
                connection, new DefaultHttp2FrameWriter(new DefaultHttp2HeadersEncoder((name, value) -> false, true)));
        connection
                .local()
                .flowController(new DefaultHttp2LocalFlowController(connection).frameWriter(encoder.frameWriter()));
        Http2ConnectionDecoder decoder = new DefaultHttp2ConnectionDecoder(
                connection,
                encoder,
                new DefaultHttp2FrameReader(new DefaultHttp2HeadersDecoder(false, CodecScript.LARGEST_SECTION)),
                Http2PromisedRequestVerifier.ALWAYS_VERIFY,
                true,
                true,
                false);
        if (!isServer) {
            // a server reads our settings before any stream
            try {
                connection.local().flowController().initialWindowSize(CodecScript.WINDOW);
            } catch (Http2Exception e) {
                throw new AssertionError(e);
            }
        }
        Http2Settings settings = new Http2Settings()
                .initialWindowSize(CodecScript.WINDOW)
                .maxHeaderListSize(CodecScript.LARGEST_SECTION);
        if (isServer) {
            settings.maxConcurrentStreams(CodecScript.MOST_STREAMS);
        } else {
            settings.pushEnabled(false);
        }
        // a stream that was refused may be tried again
        connection.addListener(new Http2ConnectionAdapter() {
            @Override
            public void onStreamActive(Http2Stream stream) {
                reset.remove(stream.id());
            }
        });
        decoder.frameListener(new Receiver());
        this.handler = new Handler(decoder, encoder, settings);
        this.channel = new EmbeddedChannel(handler);
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(1 << 29, 1 << 30));
        settle();
    }

    private ChannelHandlerContext context() {
        return channel.pipeline().firstContext();
    }

    private void settle() {
        channel.runPendingTasks();
        log.written(channel);
    }

    CodecLog log() {
        return log;
    }

    @Override
    public void feed(byte[] octets) {
        if (!over && channel.isOpen()) {
            channel.writeInbound(Unpooled.wrappedBuffer(octets));
            settle();
        }
    }

    @Override
    public void head(int stream, boolean ends) {
        Http2Headers head = new DefaultHttp2Headers(false);
        for (Map.Entry<String, String> field :
                CodecScript.head(connection.isServer()).entrySet()) {
            head.add(field.getKey(), field.getValue());
        }
        handler.encoder().writeHeaders(context(), stream, head, 0, ends, channel.newPromise());
        flush();
    }

    @Override
    public void write(int stream, int octets, boolean ends) {
        handler.encoder()
                .writeData(context(), stream, Unpooled.wrappedBuffer(new byte[octets]), 0, ends, channel.newPromise());
        flush();
    }

    @Override
    public void reset(int stream) {
        reset.add(stream);
        handler.resetStream(context(), stream, ErrorCode.CANCEL.code(), channel.newPromise());
        flush();
    }

    private void flush() {
        handler.flush(context());
        settle();
    }

    @Override
    public boolean isOver() {
        return over;
    }

    @Override
    public State state(int number) {
        Http2Stream stream = connection.stream(number);
        if (stream == null) {
            return connection.streamMayHaveExisted(number) ? State.CLOSED : State.IDLE;
        }
        return switch (stream.state()) {
            case OPEN -> State.OPEN;
            case HALF_CLOSED_LOCAL -> State.HALF_CLOSED_LOCAL;
            case HALF_CLOSED_REMOTE -> State.HALF_CLOSED_REMOTE;
            case CLOSED -> State.CLOSED;
            default -> State.IDLE;
        };
    }

    @Override
    public int window(int number) {
        Http2Stream stream = connection.stream(number);
        return stream == null ? 0 : handler.encoder().flowController().windowSize(stream);
    }

    @Override
    public List<String> take() {
        return log.take();
    }

    @Override
    public void close() {
        channel.finishAndReleaseAll();
    }

    /** Answers as {@link Http2ConnectionHandler} does, but for frames of a stream that this side has reset (RFC 9113 5.1). */
    private final class Handler extends Http2ConnectionHandler {
        Handler(Http2ConnectionDecoder decoder, Http2ConnectionEncoder encoder, Http2Settings settings) {
            super(decoder, encoder, settings, true);
        }

        @Override
        protected void onStreamError(
                ChannelHandlerContext at, boolean outbound, Throwable cause, StreamException error) {
            if (!reset.contains(error.streamId())) {
                reset.add(error.streamId());
                super.onStreamError(at, outbound, cause, error);
            }
        }

        @Override
        protected void onConnectionError(
                ChannelHandlerContext at, boolean outbound, Throwable cause, @Nullable Http2Exception error) {
            over = true;
            super.onConnectionError(at, outbound, cause, error);
        }
    }

    private final class Receiver extends Http2EventAdapter {
        private boolean settled;

        @Override
        public int onDataRead(ChannelHandlerContext at, int stream, ByteBuf data, int padding, boolean ends) {
            log.content(stream, data, ends);
            return takes ? data.readableBytes() + padding : padding;
        }

        @Override
        public void onHeadersRead(
                ChannelHandlerContext at, int stream, Http2Headers headers, int padding, boolean ends) {
            log.section(stream, CodecLog.fields(headers), ends);
        }

        @Override
        public void onHeadersRead(
                ChannelHandlerContext at,
                int stream,
                Http2Headers headers,
                int dependency,
                short weight,
                boolean exclusive,
                int padding,
                boolean ends) {
            onHeadersRead(at, stream, headers, padding, ends);
        }

        @Override
        public void onRstStreamRead(ChannelHandlerContext at, int stream, long code) {
            log.event("reset " + stream + " " + code);
        }

        /** Settings are sent once, and only the first of these answers them (RFC 9113 6.5.3). */
        @Override
        public void onSettingsAckRead(ChannelHandlerContext at) {
            if (!settled) {
                settled = true;
                log.event("settings known");
            }
        }

        @Override
        public void onPingAckRead(ChannelHandlerContext at, long data) {
            log.event("answer " + data);
        }

        @Override
        public void onGoAwayRead(ChannelHandlerContext at, int last, long code, ByteBuf debug) {
            log.event("gone away " + last + " " + code);
        }
    }
}
