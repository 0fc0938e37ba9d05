package io.remora.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.DuplexChannelConfig;
import io.remora.transport.Handshake;
import io.remora.transport.SharedBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Protects a channel: does the handshake, then decrypts what is read and encrypts what is written. The handlers after
 * it see plain octets, and an end only where the peer has sent its close_notify. Where the connection ends without one,
 * they see a failure first.
 *
 * <p>Owner: its channel's event loop. Bounds: of input, the octets that the session keeps, as content goes on in the
 * turn in which it is read. Of output, those in {@link Outgoing}, as encrypted octets count in the channel's own queue.
 */
final class TlsHandler extends OutboundHandler implements HandshakeSteps.Listener {
    /** State of the connection; it only ever moves on. */
    private enum Life {
        HANDSHAKE,
        /**
         * The handshake failed and the alert is sent: the client's end is waited for, as a close would overtake the
         * alert.
         */
        LINGERS,
        OPEN,
        /** The handler reads and writes nothing any more. */
        OVER
    }

    private final Channel channel;
    private final TlsSession session;
    private final TlsHandshake handshake;
    private final Handshake.Outcome outcome;
    private final Outgoing out;
    private final HandshakeSteps steps;
    private Life life = Life.HANDSHAKE;
    private @Nullable TlsException failure;
    private boolean anyRead;
    /** Time at which the handshake's first octets came, or were made. */
    private long startedNs;
    /** True once the peer's end, or its absence, has been passed on. */
    private boolean inputEnded;

    private boolean outputEnded;
    private boolean abandoned;

    TlsHandler(Channel channel, TlsSession session, TlsHandshake handshake, Handshake.Outcome outcome) {
        this.channel = channel;
        this.session = session;
        this.handshake = handshake;
        this.outcome = outcome;
        this.out = new Outgoing(session);
        this.steps = new HandshakeSteps(session, handshake.thread(), this);
    }

    /** Begins, once the handler is in the pipeline. */
    void begin(ChannelHandlerContext at) {
        startedNs = System.nanoTime();
        try {
            session.start();
            writeOwn(at);
            at.flush();
        } catch (TlsException e) {
            failure = e;
            fail(at, e);
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext at) {
        life = Life.OVER;
        out.release();
        steps.free();
    }

    // ---- what the link wants to know

    /** Returns the session of an open connection; null before, and once it is over. */
    @Nullable
    TlsSession openSession() {
        return life == Life.OPEN ? session : null;
    }

    TlsHandshake handshake() {
        return handshake;
    }

    int heldOctets() {
        return out.heldOctets();
    }

    boolean isInputEnded() {
        return inputEnded;
    }

    /** Sends the peer a close_notify after all output. */
    void endOutput() {
        ChannelHandlerContext at = channel.pipeline().context(this);
        if (life == Life.OPEN && !outputEnded && at != null) {
            writeHeld(at);
            outputEnded = true;
            // behind octets that are missing, it would tell that all is there
            if (failure == null) {
                session.closeOutput();
                writeOwn(at);
            }
        }
    }

    /** The close is to look like what it is. */
    void abandon() {
        abandoned = true;
    }

    // ---- what is read

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        if (!(message instanceof ByteBuf wire)) {
            at.fireChannelRead(message);
            return;
        }
        boolean first = !anyRead;
        anyRead = true;
        if (first && handshake.isServer()) {
            startedNs = System.nanoTime();
        }
        try {
            if (life != Life.HANDSHAKE && life != Life.OPEN || inputEnded || failure != null) {
                return;
            }
            if (life == Life.HANDSHAKE) {
                steps.take(at, wire);
            } else {
                decrypt(at, wire);
            }
        } finally {
            wire.release();
        }
    }

    /** Takes the result of a step of the handshake, with which it may be over. */
    @Override
    public void stepped(ChannelHandlerContext at, ByteBuf content, @Nullable TlsException lost) {
        if (life != Life.HANDSHAKE || !channel.isOpen()) { // the end of a closed channel follows
            content.release();
            return;
        }
        failure = lost;
        try {
            if (writeOwn(at)) {
                at.flush();
            }
        } catch (RuntimeException | Error e) {
            content.release();
            throw e;
        }
        if (lost == null && session.isEstablished()) {
            life = Life.OPEN;
            handshake.established(System.nanoTime() - startedNs, session, channel.remoteAddress());
            outcome.ready(new TlsLink(channel, this));
        }
        passOn(at, content);
        if (life == Life.HANDSHAKE && failure == null) {
            steps.next(at);
        }
        ByteBuf behind = life == Life.OPEN ? steps.takeWaiting() : null;
        if (behind != null) {
            channelRead(at, behind);
        }
        channelReadComplete(at);
    }

    private void decrypt(ChannelHandlerContext at, ByteBuf wire) {
        int room = Math.max(1, session.contentRoom(wire.readableBytes()));
        ByteBuf content = SharedBuffer.CONTENT.take(at.alloc(), room, room);
        try {
            session.decrypt(wire, content);
        } catch (TlsException | RuntimeException e) {
            failure = TlsException.of(e);
        }
        if (writeOwn(at)) {
            at.flush();
        }
        passOn(at, content);
    }

    private static void passOn(ChannelHandlerContext at, ByteBuf content) {
        if (content.isReadable()) {
            at.fireChannelRead(content);
        } else {
            content.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext at) {
        at.fireChannelReadComplete();
        TlsException lost = failure;
        if (life != Life.HANDSHAKE && life != Life.OPEN || steps.isBusy()) {
            return;
        }
        if (lost != null) {
            fail(at, lost);
        } else if (session.isInputClosed() && !inputEnded) {
            endInput(at);
        }
    }

    /** The peer has said that nothing follows. */
    private void endInput(ChannelHandlerContext at) {
        if (life == Life.HANDSHAKE) {
            fail(at, new TlsException(TlsFailure.TRUNCATED, "in the handshake"));
            return;
        }
        inputEnded = true;
        ChannelConfig config = channel.config();
        if (config instanceof DuplexChannelConfig duplex && duplex.isAllowHalfClosure()) {
            at.fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        } else {
            channel.close();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        if (!(event instanceof ChannelInputShutdownEvent)) {
            at.fireUserEventTriggered(event);
        } else if (life == Life.LINGERS) {
            endLinger();
        } else if (!inputEnded) {
            truncated(at);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext at) {
        if (life == Life.LINGERS) {
            endLinger();
        } else if (life != Life.OVER && !inputEnded) {
            truncated(at);
        }
        life = Life.OVER;
        at.fireChannelInactive();
    }

    /** The connection ended without the peer's close_notify. */
    private void truncated(ChannelHandlerContext at) {
        inputEnded = true;
        fail(at, new TlsException(TlsFailure.TRUNCATED, life == Life.HANDSHAKE ? "in the handshake" : ""));
    }

    // ---- failures

    private void fail(ChannelHandlerContext at, TlsException e) {
        failure = e;
        if (life == Life.OPEN) {
            at.fireExceptionCaught(e);
            channel.close();
            return;
        }
        handshake.failed(e, anyRead);
        if (handshake.isServer() && anyRead && !inputEnded && channel instanceof DuplexChannel duplex) {
            life = Life.LINGERS;
            outcome.counts(false);
            // for as long as the handshake may take
            PlainHttp.endOutput(at, duplex);
        } else {
            life = Life.OVER;
            outcome.failed(e);
        }
    }

    private void endLinger() {
        TlsException cause = failure;
        life = Life.OVER;
        if (cause != null) {
            outcome.failed(cause);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        if (life == Life.HANDSHAKE) {
            inputEnded = true;
            fail(at, new TlsException(TlsFailure.TRUNCATED, "in the handshake: " + cause.getMessage()));
        } else if (life == Life.LINGERS) {
            endLinger();
        } else {
            at.fireExceptionCaught(cause);
        }
    }

    // ---- what is written

    @Override
    public void write(ChannelHandlerContext at, Object message, ChannelPromise promise) {
        if (!(message instanceof ByteBuf content)) {
            at.write(message, promise);
            return;
        }
        TlsException lost = failure;
        try {
            if (lost != null) {
                content.release();
            } else if (!content.isReadable()) {
                out.flush(at);
                at.write(content, promise);
            } else {
                out.write(at, content, promise);
            }
        } catch (TlsException e) {
            lost = e;
            failLater(at, e);
        } catch (RuntimeException | Error e) {
            failLater(at, e);
            throw e;
        }
        if (lost != null && !promise.isVoid()) {
            promise.tryFailure(lost);
        }
    }

    // not under the hands of who writes, who may be in the middle of something; from now on octets are missing on the
    // wire, so that nothing may follow, and least of all an end in order
    private void failLater(ChannelHandlerContext at, Throwable cause) {
        TlsException e = TlsException.of(cause);
        failure = e;
        channel.eventLoop().execute(new Runnable() {
            @Override
            public void run() {
                if (life == Life.OPEN) {
                    fail(at, e);
                }
            }
        });
    }

    @Override
    public void flush(ChannelHandlerContext at) {
        writeHeld(at);
        at.flush();
    }

    private void writeHeld(ChannelHandlerContext at) {
        try {
            out.flush(at);
        } catch (TlsException e) {
            failLater(at, e);
        } catch (RuntimeException | Error e) {
            failLater(at, e);
            throw e;
        }
    }

    /** Writes the octets that the session sends by itself. */
    private boolean writeOwn(ChannelHandlerContext at) {
        ByteBuf own = session.takeOutgoing(at.alloc());
        if (own != null) {
            at.write(own);
        }
        return own != null;
    }

    /** Sends the peer a close_notify before the close, where everything written has left (RFC 9112 9.8). */
    @Override
    public void close(ChannelHandlerContext at, ChannelPromise promise) {
        if (life == Life.HANDSHAKE) {
            // not with the news of the close, as its place is for another one in this turn
            inputEnded = true;
            fail(at, new TlsException(TlsFailure.of(outcome.cutReason()), ""));
        } else if (life == Life.OPEN) {
            boolean whole = out.heldOctets() == 0
                    && channel.unsafe().outboundBuffer() != null
                    && channel.unsafe().outboundBuffer().isEmpty();
            if (whole && !abandoned && failure == null) {
                endOutput();
                at.flush();
            }
            // what the socket tells from here on is this side's own end
            inputEnded = true;
            life = Life.OVER;
        }
        at.close(promise);
    }
}
