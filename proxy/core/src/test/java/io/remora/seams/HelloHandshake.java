package io.remora.seams;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.remora.testkit.Wire;
import io.remora.transport.Handshake;
import io.remora.transport.Link;
import java.io.IOException;
import java.util.List;

/**
 * One side says {@link #HELLO} and the other {@link #ANSWER}; from then on every octet is masked, in both directions. The
 * link is one of scheme https, whose peer is {@link #PEER}.
 *
 * <p>Thread safe.
 */
public final class HelloHandshake implements Handshake {
    public static final String HELLO = "hi\n";
    public static final String ANSWER = "ho\n";
    public static final String PEER = "spiffe://mesh/peer";

    private final boolean opens;
    private final int mask;

    private HelloHandshake(boolean opens, int mask) {
        this.opens = opens;
        this.mask = mask;
    }

    /** For connections that the sidecar makes. */
    public static HelloHandshake opening(int mask) {
        return new HelloHandshake(true, mask);
    }

    /** For connections that the sidecar accepts. */
    public static HelloHandshake accepting(int mask) {
        return new HelloHandshake(false, mask);
    }

    @Override
    public void begin(Channel channel, Outcome outcome) {
        channel.pipeline().addLast(new Hello(outcome));
        if (opens) {
            channel.writeAndFlush(Unpooled.copiedBuffer(Wire.bytes(HELLO)));
        }
    }

    private final class Hello extends ByteToMessageDecoder {
        private final Outcome outcome;
        private final byte[] expected = Wire.bytes(opens ? ANSWER : HELLO);
        private int seen;
        private boolean over;

        Hello(Outcome outcome) {
            this.outcome = outcome;
        }

        @Override
        protected void decode(ChannelHandlerContext at, ByteBuf in, List<Object> out) {
            while (!over && in.isReadable()) {
                if (in.readByte() != expected[seen++]) {
                    fail("not the words of a peer");
                } else if (seen == expected.length) {
                    over = true;
                    becomeReady(at);
                }
            }
        }

        private void becomeReady(ChannelHandlerContext at) {
            if (!opens) {
                at.writeAndFlush(Unpooled.copiedBuffer(Wire.bytes(ANSWER)));
            }
            at.pipeline().addAfter(at.name(), null, new Masking(mask));
            outcome.ready(new MaskedLink(at.channel()));
            // what came behind the words goes on to those who have been added
            at.pipeline().remove(this);
        }

        private void fail(String why) {
            if (!over) {
                over = true;
                outcome.failed(new IOException(why));
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext at, Object event) throws Exception {
            if (event instanceof ChannelInputShutdownEvent) {
                fail("the peer ended its side");
            }
            super.userEventTriggered(at, event);
        }

        @Override
        public void channelInactive(ChannelHandlerContext at) throws Exception {
            fail("the peer went");
            super.channelInactive(at);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
            fail(cause.toString());
        }
    }

    private static final class MaskedLink extends Link {
        MaskedLink(Channel channel) {
            super(channel);
        }

        @Override
        public String scheme() {
            return "https";
        }

        @Override
        public String peerIdentity() {
            return PEER;
        }
    }
}
