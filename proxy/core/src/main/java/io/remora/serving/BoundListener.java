package io.remora.serving;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Multiplexing;
import io.remora.exchange.Admission;
import io.remora.exchange.Cuts;
import io.remora.exchange.ListenerLoop;
import io.remora.transport.Acceptor;
import io.remora.transport.Handshake;
import io.remora.transport.Listener;
import java.util.List;
import java.util.Objects;

/** A listener with its parts on each event loop. Immutable. */
final class BoundListener {
    private final ListenerConfig config;
    private final Listener listener;
    private final Handshake handshake;
    private final List<Acceptor.Protocol> protocols;
    private final List<ListenerLoop> onLoops;

    /**
     * @param protocols what speaks on its connections, by event loop
     */
    BoundListener(
            ListenerConfig config,
            Listener listener,
            Handshake handshake,
            List<Acceptor.Protocol> protocols,
            List<ListenerLoop> onLoops) {
        this.config = config;
        this.listener = listener;
        this.handshake = handshake;
        this.protocols = protocols;
        this.onLoops = onLoops;
    }

    ListenerConfig config() {
        return config;
    }

    /** Returns whether a drain of all listeners, or of the inbound ones alone, has this one. */
    boolean isIn(boolean inboundOnly) {
        return !inboundOnly || !config.isOutbound();
    }

    Listener listener() {
        return listener;
    }

    Handshake handshake() {
        return handshake;
    }

    List<Acceptor.Protocol> protocols() {
        return protocols;
    }

    List<ListenerLoop> onLoops() {
        return onLoops;
    }

    /** Returns the bound on its exchanges, over all loops. */
    Admission admission() {
        return onLoops.get(0).admission();
    }

    /** Returns its exchanges that have been cut, over all loops. */
    Cuts cuts() {
        return Objects.requireNonNull(onLoops.get(0).cuts());
    }

    /** Tells if another configuration has the same socket. */
    boolean isBoundAs(ListenerConfig next) {
        boolean anyPort = !next.address().isUnix() && next.address().port() == 0;
        return config.address().equals(next.address())
                && (!anyPort || config.name().equals(next.name()));
    }

    /** Tells if its connections could have begun under another configuration as they did under this one. */
    boolean speaksAs(ListenerConfig next) {
        Multiplexing now = config.http2();
        Multiplexing then = next.http2();
        return config.tcp() == next.tcp()
                && config.detects() == next.detects()
                && Objects.equals(config.tls(), next.tls())
                && Objects.equals(
                        config.options().get(ListenerConfig.PROXY_PROTOCOL),
                        next.options().get(ListenerConfig.PROXY_PROTOCOL))
                && (now == null ? then == null : then != null && now.alone() == then.alone());
    }
}
