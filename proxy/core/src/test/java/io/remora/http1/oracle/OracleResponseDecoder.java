package io.remora.http1.oracle;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.remora.http.Failure;
import io.remora.http.ResponseHead;
import java.util.List;

/** Netty's response decoder behind a look at each head and trailer section, for the responses to one request. */
final class OracleResponseDecoder extends HttpResponseDecoder {
    private static final int MAX_STATUS_LINE_BYTES = 8 * 1_024;

    private final boolean toHead;
    private boolean broken;
    private boolean lineChecked;
    private boolean headSeen;
    private boolean inTrailers;
    private boolean ended;

    OracleResponseDecoder(int blockOctets, boolean toHead) {
        super(new HttpDecoderConfig()
                .setMaxInitialLineLength(MAX_STATUS_LINE_BYTES)
                .setMaxHeaderSize(blockOctets)
                .setMaxChunkSize(32 << 10));
        this.toHead = toHead;
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
        if (broken || ended) {
            in.skipBytes(in.readableBytes());
            return;
        }
        if (!headSeen && !checkHead(in, out) || inTrailers && !checkFields(in, in.readerIndex(), out)) {
            return;
        }
        int before = out.size();
        int start = in.readerIndex();
        super.decode(context, in, out);
        if (out.size() > before) {
            headSeen = true;
            follow(out, before);
        } else if (headSeen && FieldLines.isLastChunk(in, start)) {
            inTrailers = true;
        }
    }

    private void follow(List<Object> out, int before) {
        for (int i = before; i < out.size(); i++) {
            if (out.get(i) instanceof HttpResponse response && response.status().code() < 200) {
                lineChecked = false;
                headSeen = false;
            } else if (out.get(i) instanceof LastHttpContent) {
                ended = headSeen;
            }
        }
    }

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
        broken = true;
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
