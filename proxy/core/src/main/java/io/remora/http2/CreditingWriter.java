package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http2.DefaultHttp2FrameWriter;
import io.netty.handler.codec.http2.Http2CodecUtil;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Flags;
import io.netty.handler.codec.http2.Http2FrameTypes;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersEncoder;
import io.remora.transport.SharedBuffer;
import java.util.Map;

/**
 * Netty's writer of frames, which credits the peer for those that it answers, and writes the usual ones whole. Such a
 * frame is a section of one frame, or a small piece of content, with the frame's header before it. It takes one buffer,
 * which the event loop shares, where Netty takes two or three.
 *
 * <p>Owner: one connection. Spec: RFC 9113 sections 4.1, 6.1 and 6.2.
 */
final class CreditingWriter extends DefaultHttp2FrameWriter {
    /** The largest content that is copied behind its frame's header. */
    private static final int SMALL = 2 << 10;
    /** The largest section in a shared buffer; compression makes no piece longer except by its prefixes. */
    private static final int LARGEST_SECTION = 4 << 10;

    /** Octets of a field line in addition to its text: three integers of six octets at most (RFC 7541 5.1). */
    private static final int PREFIXES = 18;

    private final Http2HeadersEncoder headers;
    private final PeerFrames credit;
    /** True if the next section begins with changes of the table's size (RFC 7541 4.2); the first one does. */
    private boolean tableChanges = true;

    CreditingWriter(Http2HeadersEncoder headers, PeerFrames credit) {
        super(headers);
        this.headers = headers;
        this.credit = credit;
    }

    /** Notes that the size of the compression table is about to change. */
    void tableChanges() {
        tableChanges = true;
    }

    @Override
    public ChannelFuture writeData(
            ChannelHandlerContext at, int stream, ByteBuf data, int padding, boolean ends, ChannelPromise promise) {
        int octets = data.readableBytes();
        // the writer splits what is larger than a frame may be
        credit.dataWritten(Math.max(1, (octets + maxFrameSize() - 1) / maxFrameSize()), octets);
        return padding == 0 && octets <= SMALL
                ? writeWhole(at, stream, data, ends, promise)
                : super.writeData(at, stream, data, padding, ends, promise);
    }

    @Override
    public ChannelFuture writePing(ChannelHandlerContext at, boolean answer, long data, ChannelPromise promise) {
        if (!answer) {
            credit.pingWritten();
        }
        return super.writePing(at, answer, data, promise);
    }

    @Override
    public ChannelFuture writeHeaders(
            ChannelHandlerContext at,
            int stream,
            Http2Headers section,
            int padding,
            boolean ends,
            ChannelPromise promise) {
        credit.headersWritten();
        int most = mostOctets(section);
        if (padding == 0 && !tableChanges && most <= LARGEST_SECTION) {
            return writeWhole(at, stream, section, most, ends, promise);
        }
        tableChanges = false;
        return super.writeHeaders(at, stream, section, padding, ends, promise);
    }

    @Override
    public ChannelFuture writeHeaders(
            ChannelHandlerContext at,
            int stream,
            Http2Headers headers,
            int dependency,
            short weight,
            boolean exclusive,
            int padding,
            boolean ends,
            ChannelPromise promise) {
        credit.headersWritten();
        return super.writeHeaders(at, stream, headers, dependency, weight, exclusive, padding, ends, promise);
    }

    private static ChannelFuture writeWhole(
            ChannelHandlerContext at, int stream, ByteBuf data, boolean ends, ChannelPromise promise) {
        int octets = data.readableBytes();
        int frame = Http2CodecUtil.FRAME_HEADER_LENGTH + octets;
        try {
            ByteBuf into = SharedBuffer.CONTENT_FRAME.take(at.alloc(), frame, frame);
            begin(into, octets, Http2FrameTypes.DATA, ends ? Http2Flags.END_STREAM : 0, stream);
            return at.write(into.writeBytes(data), promise);
        } finally {
            data.release();
        }
    }

    private ChannelFuture writeWhole(
            ChannelHandlerContext at,
            int stream,
            Http2Headers section,
            int most,
            boolean ends,
            ChannelPromise promise) {
        ByteBuf into = SharedBuffer.WRITE.take(at.alloc(), most, most);
        try {
            into.writerIndex(Http2CodecUtil.FRAME_HEADER_LENGTH);
            headers.encodeHeaders(stream, section, into);
        } catch (Http2Exception e) {
            into.release();
            return promise.setFailure(e);
        }
        int end = into.writerIndex();
        int flags = Http2Flags.END_HEADERS | (ends ? Http2Flags.END_STREAM : 0);
        begin(into.writerIndex(0), end - Http2CodecUtil.FRAME_HEADER_LENGTH, Http2FrameTypes.HEADERS, flags, stream);
        return at.write(into.writerIndex(end), promise);
    }

    private static void begin(ByteBuf into, int octets, byte type, int flags, int stream) {
        into.writeMedium(octets).writeByte(type).writeByte(flags).writeInt(stream);
    }

    private static int mostOctets(Http2Headers section) {
        int most = Http2CodecUtil.FRAME_HEADER_LENGTH;
        for (Map.Entry<CharSequence, CharSequence> line : section) {
            most += line.getKey().length() + line.getValue().length() + PREFIXES;
        }
        return most;
    }
}
