package io.remora.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.DuplexChannel;

/** The answer to a client that speaks plain HTTP to a listener that requires TLS. */
final class PlainHttp {
    private static final String BODY = "this listener requires TLS: use https\n";
    private static final String REFUSAL = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: "
            + BODY.length() + "\r\nConnection: close\r\n\r\n" + BODY;

    private PlainHttp() {}

    /** Returns whether the first octets of a client begin no handshake of TLS. */
    static boolean isNoRecord(ByteBuf first) {
        return first.isReadable() && first.getByte(first.readerIndex()) != Records.HANDSHAKE;
    }

    /** Refuses a client by its first octet; a client that speaks HTTP gets a response in HTTP. */
    static TlsException refuse(ChannelHandlerContext at, byte firstOctet) {
        if (firstOctet < 'A' || firstOctet > 'Z') {
            return new TlsException(TlsFailure.PROTOCOL, "not a record of TLS");
        }
        at.write(Unpooled.copiedBuffer(REFUSAL, US_ASCII));
        return new TlsException(TlsFailure.PLAIN_HTTP, "");
    }

    /** Ends this side of the connection after all output, without TLS's own words for it. */
    static void endOutput(ChannelHandlerContext at, DuplexChannel duplex) {
        at.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(new ChannelFutureListener() {
            @Override
            public void operationComplete(ChannelFuture flushed) {
                duplex.shutdownOutput();
            }
        });
    }
}
