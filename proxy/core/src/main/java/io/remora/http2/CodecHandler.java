package io.remora.http2;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2ConnectionDecoder;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2Stream;
import io.netty.handler.codec.http2.ReadOnlyHttp2Headers;
import io.netty.util.AsciiString;
import org.jspecify.annotations.Nullable;

/**
 * Netty's half of a connection, of either side, without its search for annotations: all methods that Netty would search
 * are declared here without any.
 *
 * <p>Cost: the first annotation that the JDK reads loads some seventy classes, and has a proxy's class generated for
 * each kind of annotation.
 */
abstract class CodecHandler extends Http2ConnectionHandler implements StreamCodec {
    /** Its place in the pipeline; null before. */
    @Nullable
    ChannelHandlerContext context;

    /** Creates the handler; the last argument has a close be a close, as our code decides when a GOAWAY is due. */
    CodecHandler(Http2ConnectionDecoder decoder, Http2ConnectionEncoder encoder, Http2Settings settings) {
        super(decoder, encoder, settings, true);
    }

    @Override
    public final void handlerAdded(ChannelHandlerContext added) throws Exception {
        context = added;
        super.handlerAdded(added);
    }

    @Override
    public final boolean isSharable() {
        return false;
    }

    @Override
    public final void channelRegistered(ChannelHandlerContext at) {
        at.fireChannelRegistered();
    }

    @Override
    public final void channelUnregistered(ChannelHandlerContext at) {
        at.fireChannelUnregistered();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext at) throws Exception {
        super.channelWritabilityChanged(at);
    }

    /** Returns the code of an error of Netty's. */
    static ErrorCode code(Http2Exception error) {
        return ErrorCode.of(error.error().code());
    }

    // ---- what both sides ask for

    @Override
    public final @Nullable ChannelFuture writeSection(int stream, SentSection section, boolean ends) {
        throw new UnsupportedOperationException();
    }

    @Override
    public final @Nullable ChannelFuture writeSection(int stream, AsciiString[] section, boolean ends) {
        ChannelHandlerContext at = context;
        return at == null ? null : encoder().writeHeaders(at, stream, headers(section), 0, ends, at.newPromise());
    }

    /** Returns a section as Netty has it, whose first lines may be pseudo-fields: it takes any, one behind the other. */
    static Http2Headers headers(AsciiString[] section) {
        return ReadOnlyHttp2Headers.trailers(false, section);
    }

    @Override
    public final void ping(long data) {
        ChannelHandlerContext at = context;
        if (at != null) {
            encoder().writePing(at, false, data, at.newPromise());
        }
    }

    @Override
    public final boolean hasGoneAway() {
        return connection().goAwaySent();
    }

    /** Ignores the peer's streams above that number from now on; false where that is so already. */
    final boolean ignoreAbove(int lastStream, long code) {
        try {
            return connection().goAwaySent(lastStream, code, Unpooled.EMPTY_BUFFER);
        } catch (Http2Exception e) {
            throw new IllegalStateException("a number above the last GOAWAY's", e);
        }
    }

    /** Writes a GOAWAY without Netty's state for it, and without its close. */
    final void sayGoAway(int lastStream, long code) {
        ChannelHandlerContext at = context;
        if (at != null) {
            frameWriter().writeGoAway(at, lastStream, code, Unpooled.EMPTY_BUFFER, at.newPromise());
        }
    }

    /** Writes RST_STREAM, and closes the stream now rather than when that is written: content that still waits must not follow it. */
    final void writeReset(int id, long code) {
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

    /** Opens the windows for octets that have been taken; returns whether that has written a frame. */
    final boolean consume(int id, int octets) throws Http2Exception {
        Http2Stream stream = connection().stream(id);
        return stream != null && octets > 0 && decoder().flowController().consumeBytes(stream, octets);
    }
}
