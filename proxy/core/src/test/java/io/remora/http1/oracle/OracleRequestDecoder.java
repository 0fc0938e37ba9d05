package io.remora.http1.oracle;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.remora.http.Failure;
import java.util.List;

/** Netty's request decoder behind a scan of each head. */
final class OracleRequestDecoder extends HttpRequestDecoder {
    private final HeadScanner scanner;
    private boolean inHead = true;
    private boolean started;
    private boolean broken;

    OracleRequestDecoder(int lineOctets, int blockOctets, int fields) {
        super(new HttpDecoderConfig()
                .setMaxInitialLineLength(lineOctets)
                .setMaxHeaderSize(blockOctets)
                .setMaxChunkSize(32 << 10));
        this.scanner = new HeadScanner(fields);
    }

    @Override
    protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out) throws Exception {
        if (broken) {
            in.skipBytes(in.readableBytes());
        } else if (!inHead || beginHead(in, out)) {
            int before = out.size();
            super.decode(context, in, out);
            follow(out, before);
        }
    }

    private boolean beginHead(ByteBuf in, List<Object> out) {
        if (!started) {
            while (in.readableBytes() >= 2
                    && in.getByte(in.readerIndex()) == '\r'
                    && in.getByte(in.readerIndex() + 1) == '\n') {
                in.skipBytes(2);
            }
            if (!in.isReadable() || in.readableBytes() == 1 && in.getByte(in.readerIndex()) == '\r') {
                return false;
            }
            started = true;
        }
        Failure failure = scanner.scan(in);
        if (failure == null) {
            return true;
        }
        broken = true;
        in.skipBytes(in.readableBytes());
        out.add(failure);
        return false;
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
}
