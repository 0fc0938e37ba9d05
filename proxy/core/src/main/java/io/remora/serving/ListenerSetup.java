package io.remora.serving;

import io.netty.buffer.ByteBufAllocator;
import io.remora.config.model.AdaptiveConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ListenerTls;
import io.remora.config.model.LogComponent;
import io.remora.exchange.AdaptiveLimit;
import io.remora.exchange.Admission;
import io.remora.exchange.Cuts;
import io.remora.exchange.ListenerLoop;
import io.remora.exchange.RefusalLog;
import io.remora.http.Failure;
import io.remora.http.RequestIds;
import io.remora.http.Via;
import io.remora.log.AccessLog;
import io.remora.log.Log;
import io.remora.metrics.AdmissionStats;
import io.remora.metrics.ListenerStats;
import io.remora.metrics.Stats;
import io.remora.process.Entropy;
import io.remora.transport.Acceptor;
import io.remora.transport.Handshake;
import io.remora.transport.Listener;
import io.remora.transport.Loop;
import io.remora.transport.Loops;
import io.remora.transport.NanoClock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes what stands behind a listener, and binds it: at the start, and where a configuration is replaced.
 *
 * <p>Owner: who opens or replaces the data path, under its lock; nothing here is kept.
 */
final class ListenerSetup {
    private final Assembly assembly;
    private final Stats stats;
    private final Loops loops;
    private final ByteBufAllocator allocator;
    private final Via via;
    private final @Nullable AccessLog accessLog;

    ListenerSetup(
            Assembly assembly,
            Stats stats,
            Loops loops,
            ByteBufAllocator allocator,
            Via via,
            @Nullable AccessLog accessLog) {
        this.assembly = assembly;
        this.stats = stats;
        this.loops = loops;
        this.allocator = allocator;
        this.via = via;
        this.accessLog = accessLog;
    }

    /** What stands behind a listener on each event loop, without a snapshot yet: all new, or for further connections of one. */
    List<ListenerLoop> onLoops(ListenerConfig listener, @Nullable BoundListener like) {
        Admission admission = new Admission();
        Cuts cuts = new Cuts();
        RefusalLog refusals = new RefusalLog(listener.name());
        List<ListenerLoop> onLoops = new ArrayList<>();
        for (int i = 0; i < loops.all().size(); i++) {
            ListenerLoop onLoop = like != null
                    ? like.onLoops().get(i).renewed()
                    : new ListenerLoop(
                            loops.all().get(i),
                            stats.add(new ListenerStats(listener.name(), Failure.labels())),
                            admission,
                            via,
                            accessLog,
                            new RequestIds(System::currentTimeMillis, Entropy.seed()));
            if (like == null) {
                onLoop.refusals(refusals);
            }
            onLoop.cuts(cuts);
            onLoops.add(onLoop);
        }
        return List.copyOf(onLoops);
    }

    /** What speaks on a listener's connections; each of the loops has its snapshot. */
    List<Acceptor.Protocol> protocols(List<ListenerLoop> onLoops) {
        List<Acceptor.Protocol> protocols = new ArrayList<>();
        for (ListenerLoop onLoop : onLoops) {
            protocols.add(assembly.protocol(onLoop));
        }
        return protocols;
    }

    Acceptor acceptor(ListenerConfig listener, Handshake handshake, List<Acceptor.Protocol> protocols) {
        return new Acceptor(
                handshake,
                handshakeNs(listener),
                loops.all().toArray(new Loop[0]),
                protocols.toArray(new Acceptor.Protocol[0]));
    }

    /** For which a connection may be made ready. */
    static long handshakeNs(ListenerConfig listener) {
        ListenerTls tls = listener.tls();
        return tls == null ? listener.timeouts().headerReadNs() : tls.handshakeTimeoutNs();
    }

    /** Has the listener take connections from now on. */
    BoundListener bind(ListenerConfig listener, Handshake handshake, List<ListenerLoop> onLoops) throws IOException {
        List<Acceptor.Protocol> protocols = protocols(onLoops);
        Listener bound =
                Listener.bind(listener, loops, allocator, acceptor(listener, handshake, protocols), assembly.given());
        BoundListener one = new BoundListener(listener, bound, handshake, protocols, onLoops);
        InetSocketAddress at = bound.address();
        Log.info(
                LogComponent.LISTENER,
                "listener " + listener.name() + " on "
                        + (at == null ? listener.address() : DataPath.named(listener.address(), at)));
        return one;
    }

    void adapt(Admission admission, ListenerConfig listener) {
        AdaptiveConfig asked = listener.adaptive();
        AdaptiveLimit before = admission.adaptive();
        if (asked == null) {
            admission.adapt(null);
        } else if (before == null || !before.config().equals(asked)) {
            AdmissionStats counts = stats.add(new AdmissionStats(listener.name()));
            admission.adapt(new AdaptiveLimit(asked, counts, NanoClock.SYSTEM.nowNs()));
        }
    }
}
