package io.remora.webhook;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.remora.http1.BodyReader;
import io.remora.http1.Progress;
import io.remora.http1.ResponseParser;
import io.remora.http1.SectionRules;
import io.remora.transport.Handshake;
import io.remora.transport.InboundHandler;
import io.remora.transport.Link;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One request to the API server with its response, on a connection of its own. An event loop does the work, and the
 * caller waits for it.
 *
 * <p>Owner: the event loop, but for what is under the lock. Bounds: 10 seconds, a head of 64 KiB, a body of 1 MiB.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the listeners have the results
final class ApiCall extends InboundHandler implements Handshake.Outcome, ChannelFutureListener {
    private static final long WITHIN_MS = 10_000;
    private static final int MAX_HEAD_OCTETS = 64 << 10;
    private static final int MAX_BODY_OCTETS = 1 << 20;
    private static final int FIRST_FINAL_STATUS = 200;

    private final Handshake handshake;
    private final byte[] head;
    private final byte[] content;
    private final SectionRules rules = SectionRules.ofResponse(MAX_HEAD_OCTETS);
    private final ResponseParser parser = new ResponseParser(rules);
    private final BodyReader bodies = new BodyReader(rules.ofBody());
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private boolean inBody;
    private int status;
    /** Below: under the lock. */
    private boolean over;

    private @Nullable IOException failure;

    /**
     * @param head of the request, with the empty line
     * @param content of the request; empty for none
     */
    ApiCall(Handshake handshake, byte[] head, byte[] content) {
        this.handshake = handshake;
        this.head = head;
        this.content = content;
    }

    /** Connects and asks; returns once the response is whole. */
    void run(EventLoopGroup group, InetSocketAddress address) throws IOException {
        if (address.isUnresolved()) {
            throw new IOException(address.getHostString() + ": no such host");
        }
        NioSocketChannel channel = new NioSocketChannel();
        channel.config().setTcpNoDelay(true).setAllocator(UnpooledByteBufAllocator.DEFAULT);
        parser.expect(false, false);
        group.register(channel).addListener(new ChannelFutureListener() {
            @Override
            public void operationComplete(ChannelFuture registered) {
                channel.connect(address).addListener(ApiCall.this);
            }
        });
        try {
            await();
        } finally {
            channel.close();
        }
    }

    private synchronized void await() throws IOException {
        long untilNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(WITHIN_MS);
        try {
            while (!over) {
                long restMs = TimeUnit.NANOSECONDS.toMillis(untilNs - System.nanoTime());
                if (restMs <= 0) {
                    throw new IOException("the API server has not answered within " + WITHIN_MS / 1_000 + " s");
                }
                wait(restMs);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
        if (failure != null) {
            throw failure;
        }
    }

    int status() {
        return status;
    }

    byte[] body() {
        return body.toByteArray();
    }

    private synchronized void end(@Nullable IOException why) {
        if (!over) {
            over = true;
            failure = why;
            notifyAll();
        }
    }

    private void fail(String what, @Nullable Throwable cause) {
        end(new IOException("the API server: " + what + (cause == null ? "" : ": " + cause.getMessage()), cause));
    }

    // ---- the event loop

    /** The connection is made, or not. */
    @Override
    public void operationComplete(ChannelFuture connected) {
        if (connected.isSuccess()) {
            handshake.begin(connected.channel(), this);
        } else {
            fail("cannot be reached", connected.cause());
        }
    }

    @Override
    public void failed(Throwable cause) {
        fail("TLS", cause);
    }

    @Override
    public void ready(Link link) {
        Channel channel = link.channel();
        channel.pipeline().addLast(this);
        channel.writeAndFlush(Unpooled.wrappedBuffer(head, content));
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            while (!inBody && in.isReadable()) {
                readHead(in);
            }
            if (inBody) {
                readBody(in);
            }
        } finally {
            in.release();
        }
    }

    private void readHead(ByteBuf in) {
        Progress progress = parser.parse(in);
        if (progress == Progress.REFUSED) {
            fail("its response is not HTTP", null);
            in.skipBytes(in.readableBytes());
        } else if (progress == Progress.DONE && parser.status() < FIRST_FINAL_STATUS) {
            parser.reset();
        } else if (progress == Progress.DONE) {
            status = parser.status();
            inBody = true;
            bodies.begin(parser.bodyLength(), parser.isChunked(), parser.blockOctets());
        }
    }

    @SuppressWarnings("ReferenceEquality") // the buffer itself, or a slice of it
    private void readBody(ByteBuf in) {
        for (ByteBuf piece = bodies.read(in); piece != null; piece = bodies.read(in)) {
            if (body.size() + piece.readableBytes() > MAX_BODY_OCTETS) {
                fail("its response is longer than 1 MiB", null);
                in.skipBytes(in.readableBytes());
            } else {
                byte[] octets = new byte[piece.readableBytes()];
                piece.readBytes(octets);
                body.write(octets, 0, octets.length);
            }
            if (piece != in) {
                piece.release();
            }
        }
        if (bodies.failure() != null) {
            fail("its response is not HTTP", null);
        } else if (bodies.isEnded()) {
            end(null);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (inBody && bodies.endOfInput()) {
            end(null);
        } else {
            fail("the connection ended before the response was whole", null);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        fail("the connection is lost", cause);
        context.close();
    }
}
