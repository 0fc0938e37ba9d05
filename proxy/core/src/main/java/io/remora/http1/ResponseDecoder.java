package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.remora.config.ClusterConfig;
import io.remora.http.Failure;
import io.remora.http.ResponseHead;
import io.remora.transport.Loop;
import java.util.List;

/**
 * Netty's response decoder behind a look at each head and trailer section, told which request it decodes the response
 * of; bytes that nobody asked for are not decoded.
 *
 * <p>Owner: one backend connection. Bounds: the cluster's header block and buffer.
 */
final class ResponseDecoder extends HttpResponseDecoder {
    /** Of a reason that nobody reads. */
    private static final int MAX_STATUS_LINE_BYTES = 8 * 1_024;

    private static final int SCRATCH_BYTES = 128;

    private final Loop loop;
    private boolean expecting;
    private boolean toHead;
    private boolean unasked;
    private boolean anyByte;
    private boolean lineChecked;
    private boolean headSeen;
    private boolean inTrailers;
    private long firstByteNs;

    /**
     * @param bounds of its cluster
     */
    ResponseDecoder(HttpDecoderConfig bounds, Loop loop) {
        super(bounds);
        this.loop = loop;
    }

    static HttpDecoderConfig bounds(ClusterConfig config) {
        return new HttpDecoderConfig()
                .setMaxInitialLineLength(MAX_STATUS_LINE_BYTES)
                .setMaxHeaderSize(config.headerBlockBytes())
                .setMaxChunkSize(config.bufferBytes())
                .setInitialBufferSize(SCRATCH_BYTES);
    }

    /**
     * A request is on its way.
     *
     * @param isHead whether it is a HEAD, whose response has no body whatever its fields say
     */
    void expect(boolean isHead) {
        expecting = true;
        toHead = isHead;
        anyByte = false;
        lineChecked = false;
        headSeen = false;
        inTrailers = false;
        firstByteNs = 0;
    }

    /** The response that was expected is whole. */
    void expectNothing() {
        expecting = false;
    }

    /** An interim response is over: the next one's first bytes count anew. */
    void expectAnother() {
        lineChecked = false;
        headSeen = false;
        firstByteNs = 0;
    }

    /** Whether bytes came behind or without a response. */
    boolean hasUnasked() {
        return unasked;
    }

    /** Whether a byte of the response has come. */
    boolean hasAnyByte() {
        return anyByte;
    }

    /** When the response's first bytes were readable. */
    long firstByteNs() {
        return firstByteNs;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
        if (!expecting) {
            unasked = true;
            in.skipBytes(in.readableBytes());
            return;
        }
        if (firstByteNs == 0) {
            firstByteNs = loop.readyNs();
            anyByte = true;
        }
        if (!headSeen && !checkHead(in, out) || inTrailers && !checkFields(in, in.readerIndex(), out)) {
            return;
        }
        int before = out.size();
        int start = in.readerIndex();
        super.decode(context, in, out);
        if (out.size() > before) {
            headSeen = true;
        } else if (headSeen && FieldLines.isLastChunk(in, start)) {
            // the decoder rests behind each chunk's size
            inTrailers = true;
        }
    }

    // whether the decoder may look at the bytes: it would forgive a head too much
    private boolean checkHead(ByteBuf in, List<Object> out) {
        int fields = in.readerIndex();
        if (!lineChecked) {
            int lineFeed = in.indexOf(fields, in.writerIndex(), (byte) '\n');
            if (lineFeed < 0 && in.readableBytes() <= MAX_STATUS_LINE_BYTES) {
                return false;
            }
            if (lineFeed < 0 || !StatusLine.isValid(in, fields, lineFeed + 1)) {
                return refuse(in, out);
            }
            lineChecked = true;
            fields = lineFeed + 1;
        }
        return checkFields(in, fields, out);
    }

    private boolean checkFields(ByteBuf in, int start, List<Object> out) {
        return FieldLines.areValid(in, start) || refuse(in, out);
    }

    private boolean refuse(ByteBuf in, List<Object> out) {
        expecting = false;
        in.skipBytes(in.readableBytes());
        out.add(Failure.BAD_RESPONSE);
        return false;
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpMessage message) {
        return toHead
                || ResponseHead.neverHasBody(((HttpResponse) message).status().code());
    }
}
