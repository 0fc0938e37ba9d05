package io.remora.serving;

import io.remora.config.model.Address;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ListenerSecurity;
import io.remora.config.model.LogComponent;
import io.remora.detect.DetectConfig;
import io.remora.engine.Cluster;
import io.remora.exchange.AdaptiveConfig;
import io.remora.exchange.AdaptiveLimit;
import io.remora.exchange.Admission;
import io.remora.exchange.Cuts;
import io.remora.exchange.ListenerLoop;
import io.remora.exchange.ListenerSnapshot;
import io.remora.exchange.RefusalLog;
import io.remora.exchange.Stage;
import io.remora.http.Failure;
import io.remora.http.RequestIds;
import io.remora.http.Via;
import io.remora.log.AccessLog;
import io.remora.log.Log;
import io.remora.metrics.AdmissionStats;
import io.remora.metrics.ListenerStats;
import io.remora.metrics.Stats;
import io.remora.process.Entropy;
import io.remora.route.Router;
import io.remora.transport.Acceptor;
import io.remora.transport.GivenSockets;
import io.remora.transport.Handshake;
import io.remora.transport.Listener;
import io.remora.transport.Loop;
import io.remora.transport.NanoClock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Makes what stands behind a listener, and binds it: at the start, and where a configuration is replaced.
 *
 * <p>Owner: who opens or replaces the data path, under its lock; nothing here is kept.
 */
final class ListenerSetup {
    private final Seams seams;
    private final Shared shared;
    private final Stats stats;
    private final List<Loop> loops;
    private final Via via;
    private final @Nullable AccessLog accessLog;
    private final @Nullable GivenSockets given;

    /**
     * @param given sockets that listeners take instead of binding; null for none
     */
    ListenerSetup(Seams seams, Shared shared, Via via, @Nullable AccessLog accessLog, @Nullable GivenSockets given) {
        this.seams = seams;
        this.shared = shared;
        this.stats = shared.stats();
        this.loops = shared.loops();
        this.via = via;
        this.accessLog = accessLog;
        this.given = given;
    }

    /**
     * Makes all that stands behind a new listener, and binds it.
     *
     * @param byLoop the clusters by name, for each loop
     * @param number of the generation
     */
    BoundListener open(
            ListenerConfig listener, List<Map<String, Cluster>> byLoop, long number, @Nullable TraceSetup traced)
            throws IOException {
        List<ListenerLoop> onLoops = onLoops(listener, null);
        adapt(onLoops.get(0).admission(), listener);
        Router router = new Router(listener.routes(), listener.path());
        for (int i = 0; i < onLoops.size(); i++) {
            ListenerLoop onLoop = onLoops.get(i);
            onLoop.replace(snapshot(listener, router, byLoop.get(i), onLoop, number, traced));
        }
        return bind(listener, handshake(listener), onLoops);
    }

    /** Makes ready what accepted connections pass first. */
    Handshake handshake(ListenerConfig listener) throws IOException {
        return seams.handshake(listener, shared);
    }

    /**
     * Returns a listener's part on each event loop, without a snapshot yet: all new, or for further connections of one.
     */
    List<ListenerLoop> onLoops(ListenerConfig listener, @Nullable BoundListener like) {
        Admission admission = new Admission();
        Cuts cuts = new Cuts();
        RefusalLog refusals = new RefusalLog(listener.name());
        List<ListenerLoop> onLoops = new ArrayList<>();
        for (int i = 0; i < loops.size(); i++) {
            ListenerLoop onLoop = like != null
                    ? like.onLoops().get(i).renewed()
                    : new ListenerLoop(
                            loops.get(i),
                            stats.add(new ListenerStats(listener.name(), Failure.labels())),
                            admission,
                            via,
                            accessLog,
                            new RequestIds(null, Entropy.seed()));
            if (like == null) {
                onLoop.refusals(refusals);
            }
            onLoop.cuts(cuts);
            onLoops.add(onLoop);
        }
        return List.copyOf(onLoops);
    }

    /** Makes what holds for exchanges that begin on a loop from now on. Called on the loop's thread or before it runs. */
    ListenerSnapshot snapshot(
            ListenerConfig listener,
            Router router,
            Map<String, Cluster> byName,
            ListenerLoop onLoop,
            long number,
            @Nullable TraceSetup traced) {
        shared.features().join(listener, onLoop, stats);
        Stage tracing = traced == null || listener.tcp() ? null : traced.stage(onLoop.loop());
        Stage[] stages = seams.stages(listener, onLoop.requestIds(), tracing, shared);
        ListenerSnapshot made = new ListenerSnapshot(number, listener, router, byName, stages);
        DetectConfig detect = listener.detects() ? listener.options().get(DetectConfig.DETECT) : null;
        if (detect == null) {
            return made;
        }
        ListenerConfig tunnels = listener.tunnels(detect.tunnels());
        return made.with(snapshot(tunnels, new Router(tunnels.routes()), byName, onLoop, number, traced));
    }

    /** Returns the protocols of a listener's connections; each of the loops has its snapshot. */
    List<Acceptor.Protocol> protocols(List<ListenerLoop> onLoops) {
        List<Acceptor.Protocol> protocols = new ArrayList<>();
        for (ListenerLoop onLoop : onLoops) {
            protocols.add(seams.protocol(onLoop, shared));
        }
        return protocols;
    }

    Acceptor acceptor(ListenerConfig listener, Handshake handshake, List<Acceptor.Protocol> protocols) {
        return new Acceptor(
                handshake,
                handshakeNs(listener),
                loops.toArray(new Loop[0]),
                protocols.toArray(new Acceptor.Protocol[0]));
    }

    /** Returns the time in which a connection has to become ready. */
    static long handshakeNs(ListenerConfig listener) {
        ListenerSecurity tls = listener.tls();
        return tls == null ? listener.timeouts().headerReadNs() : tls.handshakeTimeoutNs();
    }

    /** Has the listener take connections from now on. */
    BoundListener bind(ListenerConfig listener, Handshake handshake, List<ListenerLoop> onLoops) throws IOException {
        List<Acceptor.Protocol> protocols = protocols(onLoops);
        Acceptor acceptor = acceptor(listener, handshake, protocols);
        Listener bound = Listener.bind(listener, shared.group(), shared.allocator(), acceptor, given);
        BoundListener one = new BoundListener(listener, bound, handshake, protocols, onLoops);
        InetSocketAddress at = bound.address();
        Log.info(
                LogComponent.LISTENER,
                "listener " + listener.name() + " on "
                        + (at == null
                                ? listener.address()
                                : new Address(listener.address().host(), at.getPort())));
        return one;
    }

    void adapt(Admission admission, ListenerConfig listener) {
        boolean adapts = listener.options().has(ListenerConfig.ADAPTIVE);
        AdaptiveConfig asked = adapts ? listener.options().get(AdaptiveConfig.ADAPTIVE) : null;
        AdaptiveLimit before = admission.adaptive();
        if (asked == null) {
            admission.adapt(null);
        } else if (before == null || !before.config().equals(asked)) {
            AdmissionStats counts = stats.add(new AdmissionStats(listener.name()));
            admission.adapt(new AdaptiveLimit(asked, counts, NanoClock.SYSTEM.nowNs()));
        }
    }
}
