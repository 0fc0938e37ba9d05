package io.remora.serving;

import io.netty.channel.EventLoop;
import io.remora.config.model.ProxyConfig;
import io.remora.exchange.ListenerLoop;
import io.remora.log.Log;
import io.remora.transport.Connections;
import io.remora.transport.Loop;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/**
 * End of a listener that a reload has removed or replaced. Exchanges in progress finish, the ones that have not
 * finished in time are cut, and then the listener's memory is freed.
 *
 * <p>Thread safe. Cost: a task a second on each event loop. Bounds: the drain's time, or that of a handshake if that is
 * longer.
 */
final class ListenerDrain {
    private static final long LOOK_MS = 1_000;

    private final Predicate<ListenerDrain> ended;
    private final BoundListener listener;
    private final boolean socket;
    private final long beganNs = System.nanoTime();
    private final long drainNs;
    private final long idleNs;
    private final AtomicInteger left;

    /**
     * @param ended called on an event loop when nothing is left; false where it is to be called again later
     * @param socket whether its socket goes with it
     * @param next the configuration that has it no longer, or otherwise
     */
    ListenerDrain(Predicate<ListenerDrain> ended, BoundListener listener, boolean socket, ProxyConfig next) {
        this.ended = ended;
        this.listener = listener;
        this.socket = socket;
        this.drainNs = next.drainTimeoutNs();
        this.idleNs = next.drainIdleNs();
        this.left = new AtomicInteger(listener.onLoops().size());
    }

    BoundListener listener() {
        return listener;
    }

    boolean hasSocket() {
        return socket;
    }

    /** Accepts no more, if its socket goes, and begins to drain. Returns when the port is free. */
    void begin() {
        if (socket) {
            listener.listener().close();
        }
        for (ListenerLoop onLoop : listener.onLoops()) {
            onLoop.beginDrain(idleNs);
        }
        listener.handshake().end();
        for (ListenerLoop onLoop : listener.onLoops()) {
            onLoop.loop().eventLoop().execute(new OnLoop(onLoop));
        }
    }

    private void end(EventLoop eventLoop) {
        if (!ended.test(this)) {
            eventLoop.schedule(() -> end(eventLoop), LOOK_MS, TimeUnit.MILLISECONDS);
            return;
        }
        listener.handshake().release();
        Log.info("listener " + listener.config().name() + ": "
                + (socket ? "drained" : "connections of its former configuration drained")
                + "; exchanges " + listener.cuts().text());
    }

    /** One event loop's share. Owner: that loop. */
    private final class OnLoop implements Runnable {
        private final ListenerLoop onLoop;
        private final Connections connections;
        private final Loop loop;

        OnLoop(ListenerLoop onLoop) {
            this.onLoop = onLoop;
            this.connections = onLoop.connections();
            this.loop = onLoop.loop();
        }

        @Override
        public void run() {
            long pastNs = System.nanoTime() - beganNs;
            boolean late = pastNs >= drainNs;
            if (late) {
                onLoop.endIdle();
            }
            if (connections.size() > 0) {
                loop.background(connections.ending(late));
            }
            if (late) {
                onLoop.cutParts();
            }
            // a connection whose handshake was under way may still come
            boolean none = pastNs > ListenerSetup.handshakeNs(listener.config())
                    && connections.size() == 0
                    && onLoop.partsAreIdle();
            if (!none) {
                loop.eventLoop().schedule(this, LOOK_MS, TimeUnit.MILLISECONDS);
            } else if (left.decrementAndGet() == 0) {
                end(loop.eventLoop());
            }
        }
    }
}
