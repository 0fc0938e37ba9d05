package io.remora.tls;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.remora.transport.Handshake;
import io.remora.transport.InboundHandler;
import org.jspecify.annotations.Nullable;

/**
 * Handler that refuses a client whose first octets begin no record of TLS, on a listener that requires TLS. A client that
 * speaks HTTP gets a response in HTTP, and a handshake of an unknown version gets an alert. The handler then drops what
 * comes until the client's end, as a close would overtake the answer.
 *
 * <p>Owner: its channel's event loop. Cost: no session, and no place among the handshakes.
 */
final class PlainHttp extends InboundHandler {
    private static final String BODY = "this listener requires TLS: use https\n";
    private static final String REFUSAL = "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nContent-Length: "
            + BODY.length() + "\r\nConnection: close\r\n\r\n" + BODY;

    /** A fatal alert, protocol_version (RFC 8446 6.2). */
    private static final byte[] WRONG_VERSION = {21, Records.MAJOR_VERSION, 1, 0, 2, 2, 70};

    private final Channel channel;
    private final Handshake.Outcome outcome;
    private final FirstOctets.Next counter;
    /** Null until the octets have come. */
    private @Nullable TlsException failure;

    private boolean over;

    /**
     * @param counter for the failure
     */
    PlainHttp(Channel channel, Handshake.Outcome outcome, FirstOctets.Next counter) {
        this.channel = channel;
        this.outcome = outcome;
        this.counter = counter;
    }

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        if (!(message instanceof ByteBuf wire)) {
            at.fireChannelRead(message);
            return;
        }
        try {
            if (failure == null && wire.isReadable()) {
                refuse(at, wire.getByte(wire.readerIndex()));
            }
        } finally {
            wire.release();
        }
    }

    private void refuse(ChannelHandlerContext at, byte firstOctet) {
        boolean isHttp = firstOctet >= 'A' && firstOctet <= 'Z';
        TlsException cause = isHttp
                ? new TlsException(TlsFailure.PLAIN_HTTP, "")
                : new TlsException(TlsFailure.PROTOCOL, "not a record of TLS");
        failure = cause;
        counter.lost(cause, true);
        if (isHttp) {
            at.write(Unpooled.copiedBuffer(REFUSAL, US_ASCII));
        } else if (firstOctet == Records.HANDSHAKE) {
            at.write(Unpooled.copiedBuffer(WRONG_VERSION));
        }
        if (channel instanceof DuplexChannel duplex) {
            // for as long as a handshake may take
            endOutput(at, duplex);
        } else {
            at.flush();
            end(cause);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            end();
        } else {
            at.fireUserEventTriggered(event);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        end();
    }

    @Override
    public void channelInactive(ChannelHandlerContext at) {
        end();
        at.fireChannelInactive();
    }

    private void end() {
        TlsException cause = failure;
        if (cause == null) {
            cause = new TlsException(TlsFailure.TRUNCATED, "");
            failure = cause;
            counter.lost(cause, false);
        }
        end(cause);
    }

    private void end(TlsException cause) {
        if (!over) {
            over = true;
            outcome.failed(cause);
        }
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
