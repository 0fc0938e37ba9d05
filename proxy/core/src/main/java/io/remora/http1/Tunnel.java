package io.remora.http1;

import io.netty.channel.Channel;
import io.remora.exchange.Exchange;
import io.remora.exchange.ListenerContext;
import io.remora.http.Failure;
import io.remora.transport.Deadline;
import io.remora.transport.Drainable;

/**
 * Two channels that copy bytes to each other once a protocol switch has ended HTTP between them.
 *
 * <p>Owner: the event loop of both. Bounds: the channels' water marks; the listener's idle timeout without a byte in
 * either direction.
 *
 * <p>Spec: RFC 9110 section 7.8; what the closing side sent last reaches the other before that one is closed (9.3.6).
 */
final class Tunnel implements Drainable {
    private final ListenerContext context;
    private final Exchange exchange;
    private final Deadline deadline;
    private final TunnelEnd frontend = new TunnelEnd(this);
    private final TunnelEnd backend = new TunnelEnd(this);
    private int closedEnds;

    Tunnel(ListenerContext context, Exchange exchange) {
        this.context = context;
        this.exchange = exchange;
        this.deadline = context.loop().deadlines().add(this);
    }

    TunnelEnd frontend() {
        return frontend;
    }

    TunnelEnd backend() {
        return backend;
    }

    /** Both ends are in their pipelines. */
    void open(Channel client, Channel application) {
        frontend.join(client, application);
        backend.join(application, client);
        touch();
    }

    void copied(TunnelEnd from, int bytes) {
        if (from == frontend) {
            exchange.tunnelled(bytes, 0);
        } else {
            exchange.tunnelled(0, bytes);
        }
        touch();
    }

    private void touch() {
        deadline.set(context.config().timeouts().idleNs());
    }

    /** An end has stopped sending; when both have, all that was sent has been passed on and the tunnel is over. */
    void inputEnded() {
        if (frontend.isInputEnded() && backend.isInputEnded()) {
            frontend.closeBehindWrites();
            backend.closeBehindWrites();
        }
    }

    /**
     * An end's channel is closed: the other one follows behind what it still has to write, and then the exchange is
     * over.
     */
    void closed() {
        if (++closedEnds < 2) {
            frontend.closeBehindWrites();
            backend.closeBehindWrites();
        } else {
            deadline.cancel();
            exchange.tunnelClosed();
        }
    }

    @Override
    public void onDeadline() {
        frontend.close();
        backend.close();
    }

    @Override
    public void drain() {
        // an exchange in progress like any other: it may go on until the drain's time is over
    }

    @Override
    public void cut() {
        exchange.fail(Failure.CUT);
        frontend.close();
        backend.close();
    }
}
