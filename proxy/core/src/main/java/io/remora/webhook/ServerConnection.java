package io.remora.webhook;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http1.Reasons;
import io.remora.http1.WholeRequests;
import io.remora.transport.Handshake;
import io.remora.transport.InboundHandler;
import io.remora.transport.Link;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection to the injector, which carries one request at a time.
 *
 * <p>Owner: the event loop. Bounds: one response that waits to be read, as a client that sends more before that loses the
 * connection after it; 10 seconds for the handshake, for a request from its first octet on, and for a
 * response; 2 seconds for a body while others wait; 120 seconds without a request, which is longer than an API server keeps an idle connection.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the results of closing do not matter
final class ServerConnection extends InboundHandler implements Handshake.Outcome, BodyRoom.Holder {
    private static final int MAX_LINE_OCTETS = 4 << 10;
    private static final int MAX_HEAD_OCTETS = 16 << 10;
    private static final int MAX_FIELDS = 64;
    private static final long STEP_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(120);

    private final WebhookServer server;
    private final Channel channel;
    private final WholeRequests requests =
            new WholeRequests(MAX_LINE_OCTETS, MAX_HEAD_OCTETS, MAX_FIELDS, WebhookServer.MAX_BODY_OCTETS);
    /** Null before the handshake is over. */
    private @Nullable Link link;

    private long untilNs = System.nanoTime() + STEP_NS;
    private Phase phase = Phase.READING;
    private Handshake.Cut cutReason = Handshake.Cut.TIME;
    /** Set once the next response is the last one. */
    private boolean ending;
    /** Held until the response has left, whose size follows from that of the body. */
    private final BodyRoom.Share room;

    /** Phases of a connection. */
    private enum Phase {
        IDLE,
        READING,
        /** The response has not left. */
        ANSWERING
    }

    ServerConnection(WebhookServer server, Channel channel) {
        this.server = server;
        this.channel = channel;
        this.room = server.share(this);
    }

    // ---- the handshake

    @Override
    public void ready(Link made) {
        link = made;
        channel.pipeline().addLast(this);
        if (channel.isOpen()) {
            rest();
        } else {
            server.closed(this);
        }
    }

    @Override
    public void failed(Throwable cause) {
        channel.close();
        server.closed(this);
    }

    @Override
    public boolean makeRoom() {
        return server.endHandshakeOfMost();
    }

    @Override
    public Handshake.Cut cutReason() {
        return cutReason;
    }

    boolean isInHandshake() {
        return link == null;
    }

    /** The address of its client, or the connection where it has none. */
    @Override
    public Object client() {
        return Link.claimantOf(channel);
    }

    // ---- requests

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            while (in.isReadable() && !ending) {
                if (phase == Phase.ANSWERING) {
                    // who does not read gets no further response
                    ending = true;
                    break;
                }
                if (phase == Phase.IDLE) {
                    phase = Phase.READING;
                    untilNs = System.nanoTime() + STEP_NS;
                }
                if (requests.read(in)) {
                    whole();
                } else {
                    more(context);
                }
            }
        } finally {
            in.release();
        }
    }

    /** Asks for room where a head has come whose body has not. */
    private void more(ChannelHandlerContext context) {
        long announced = requests.announcedOctets();
        if (announced == BodyLength.NONE) {
            return;
        }
        if (announced > WebhookServer.MAX_BODY_OCTETS) {
            refuse(Failure.BODY_TOO_LARGE);
            return;
        }
        if (requests.expectsContinue()) {
            context.writeAndFlush(ByteBufUtil.writeAscii(context.alloc(), "HTTP/1.1 100 Continue\r\n\r\n"));
        }
        long most = announced < 0 ? WebhookServer.MAX_BODY_OCTETS : announced;
        // the memory of a body doubles as it grows
        room.take(2L * requests.receivedOctets(), most);
    }

    @Override
    public void read(boolean reads) {
        if (link != null) {
            link.read(reads);
        }
    }

    private void whole() {
        Failure failure = requests.failure();
        if (failure != null) {
            refuse(failure);
            return;
        }
        ending = !requests.isPersistent() || server.isDraining();
        String method = requests.method();
        Answer answer = server.answer(method, requests.target(), requests.takeBody());
        requests.next();
        write(answer, method.equals("HEAD"));
    }

    private void refuse(Failure failure) {
        ending = true;
        write(Answer.text(failure.status(), failure.text()), false);
    }

    private void write(Answer answer, boolean toHead) {
        StringBuilder head = new StringBuilder(256);
        head.append("HTTP/1.1 ").append(answer.status()).append(' ').append(Reasons.text(answer.status()));
        head.append("\r\nContent-Type: ").append(answer.type());
        head.append("\r\nContent-Length: ").append(answer.body().length);
        head.append(ending ? "\r\nConnection: close\r\n\r\n" : "\r\n\r\n");
        byte[] octets = head.toString().getBytes(StandardCharsets.US_ASCII);
        ByteBuf whole = toHead ? Unpooled.wrappedBuffer(octets) : Unpooled.wrappedBuffer(octets, answer.body());
        untilNs = System.nanoTime() + STEP_NS;
        phase = Phase.ANSWERING;
        channel.writeAndFlush(whole).addListener(server);
    }

    /** The response has left, or cannot. */
    void written(boolean success) {
        phase = Phase.READING;
        room.giveBack();
        if (!success) {
            close();
        } else if (!ending) {
            rest();
        } else if (link != null) {
            untilNs = System.nanoTime() + STEP_NS;
            // what the client still sends is read and dropped, as a reset could overtake the response
            link.shutdownOutputBehindWrites(true);
        }
    }

    private void rest() {
        phase = Phase.IDLE;
        untilNs = System.nanoTime() + IDLE_NS;
        server.idle(this);
    }

    // ---- the end

    boolean isIdle() {
        return phase == Phase.IDLE;
    }

    /** Closes the connection where its time is over. */
    void look(long nowNs) {
        if (nowNs - untilNs >= 0 || room.isOverdue(nowNs)) {
            close();
        }
    }

    /** Closes the connection, as there are too many. */
    void makeRoomForOther() {
        cutReason = Handshake.Cut.PLACE;
        close();
    }

    void close() {
        phase = Phase.READING;
        channel.close();
        server.closed(this);
        room.giveBack();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        close();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        close();
    }
}
