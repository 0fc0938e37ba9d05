package io.remora.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The steps of one handshake, each computed by {@link HandshakeThread} or, if that says so, by the caller: the session
 * gets octets there, and a task of the event loop gets the result. While a step is under way the session is the other
 * thread's, and nothing is read from the channel.
 *
 * <p>Owner: the channel's event loop. Bounds: what one turn of the loop reads.
 */
final class HandshakeSteps {
    private final TlsSession session;
    private final Executor thread;
    private final Listener listener;
    /** Octets that came during the step in progress. */
    private @Nullable ByteBuf waiting;

    private boolean busy;
    private boolean freed;

    HandshakeSteps(TlsSession session, Executor thread, Listener listener) {
        this.session = session;
        this.thread = thread;
        this.listener = listener;
    }

    /** Receives the result of each step, on the event loop. */
    interface Listener {
        /**
         * @param content what the session has decrypted; the listener's
         * @param failure null for none
         */
        void stepped(ChannelHandlerContext at, ByteBuf content, @Nullable TlsException failure);
    }

    /** Returns whether the session belongs to the other thread now. */
    boolean isBusy() {
        return busy;
    }

    /** Takes octets of the peer's, which stay the caller's. */
    void take(ChannelHandlerContext at, ByteBuf wire) {
        ByteBuf before = waiting;
        int kept = before == null ? 0 : before.readableBytes();
        // a read may be into a buffer that all connections share
        ByteBuf copy = at.alloc().directBuffer(kept + wire.readableBytes());
        if (before != null) {
            copy.writeBytes(before);
            before.release();
        }
        waiting = copy.writeBytes(wire);
        if (!busy) {
            next(at);
        }
    }

    /** Takes the octets that have not been through the session; the caller's, null for nothing. */
    @Nullable
    ByteBuf takeWaiting() {
        ByteBuf taken = waiting;
        waiting = null;
        return taken;
    }

    /** Has the thread go on with what has come, if anything has. */
    void next(ChannelHandlerContext at) {
        ByteBuf wire = waiting;
        if (wire == null) {
            return;
        }
        // what is taken by then is given back by who frees this
        int room = Math.max(1, session.contentRoom(wire.readableBytes()));
        Step step = new Step(at, wire, at.alloc().directBuffer(room, room));
        waiting = null;
        busy = true;
        at.channel().config().setAutoRead(false);
        try {
            thread.execute(step);
        } catch (RuntimeException | Error e) {
            // there can be no thread
            busy = false;
            step.give();
            throw e;
        }
    }

    /** The connection is over: the session is freed, once no step uses it. */
    void free() {
        freed = true;
        ByteBuf wire = takeWaiting();
        if (wire != null) {
            wire.release();
        }
        if (!busy) {
            session.free();
        }
    }

    /** Runs twice: on the handshakes' thread, and then on the event loop. */
    private final class Step implements Runnable {
        private final ChannelHandlerContext at;
        private final ByteBuf wire;
        private final ByteBuf content;
        private @Nullable TlsException failure;
        private boolean computed;

        Step(ChannelHandlerContext at, ByteBuf wire, ByteBuf content) {
            this.at = at;
            this.wire = wire;
            this.content = content;
        }

        @Override
        public void run() {
            if (computed) {
                end();
                return;
            }
            compute();
            computed = true;
            try {
                at.channel().eventLoop().execute(this);
            } catch (RejectedExecutionException e) {
                // the loop has ended, and with it everything that could touch these
                give();
                session.free();
            }
        }

        void give() {
            wire.release();
            content.release();
        }

        private void compute() {
            if (!at.channel().isOpen()) {
                return;
            }
            try {
                session.decrypt(wire, content);
            } catch (TlsException | RuntimeException | Error e) {
                // also no memory outside the heap, for which Netty would have closed the connection on its loop
                failure = TlsException.of(e);
            }
        }

        private void end() {
            busy = false;
            wire.release();
            if (freed) {
                content.release();
                session.free();
                return;
            }
            at.channel().config().setAutoRead(true);
            listener.stepped(at, content, failure);
        }
    }
}
