package io.remora.finagle;

import com.twitter.finagle.Dtab;
import io.netty.buffer.ByteBufAllocator;
import io.remora.cluster.Backends;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.LogComponent;
import io.remora.config.model.PlacedText;
import io.remora.engine.Engine;
import io.remora.engine.EngineCluster;
import io.remora.log.Log;
import io.remora.log.LogThrottle;
import io.remora.metrics.Stats;
import io.remora.transport.Handshake;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Balances, pools and repeats by Finagle's client stack. Thread safe. */
final class FinagleEngine implements Engine {
    private final Backends backends;
    private final ByteBufAllocator allocator;
    private final Stats stats;
    private final @Nullable UserFilters filters;
    private final Dtab dtab;
    private final Board board = new Board();
    private @Nullable Announcer announcer;

    /**
     * @param filters null for none
     * @param dtab by which names are bound, before routes have their say
     */
    FinagleEngine(
            Backends backends, ByteBufAllocator allocator, Stats stats, @Nullable UserFilters filters, Dtab dtab) {
        this.dtab = dtab;
        this.filters = filters;
        this.backends = backends;
        this.allocator = allocator;
        this.stats = stats;
    }

    @Override
    public EngineCluster open(ClusterConfig config, @Nullable LogThrottle shared) throws IOException {
        PlacedText dest = config.dest();
        Handshake handshake = backends.handshake(config, stats);
        if (shared != null) {
            handshake.warnWithin(shared);
        }
        return new FinagleCluster(
                config,
                dest == null ? backends.resolver(config) : null,
                handshake,
                allocator,
                stats,
                filters,
                dest == null ? null : names(dest.text(), config),
                board,
                shared);
    }

    private FinagleNames names(String dest, ClusterConfig config) {
        return new FinagleNames(Place.path(dest), dtab, new FinaglePlaces(config, board, backends, stats));
    }

    @Override
    public synchronized void announce(Map<ListenerConfig, InetSocketAddress> bound) {
        announcer = Announcer.begin(bound, stats);
    }

    @Override
    public void unannounce(Runnable then) {
        Announcer known;
        synchronized (this) {
            known = announcer;
            announcer = null;
        }
        if (known == null) {
            then.run();
        } else {
            known.leave(then);
        }
    }

    /** Ends announcements and the filters; its clusters hold everything else that has to end. */
    @Override
    public void close() {
        unannounce(() -> {});
        if (filters != null) {
            try {
                filters.close();
            } catch (IOException e) {
                Log.warn(LogComponent.FINAGLE, "plugins: failed to close the jars of filters; continuing: " + e);
            }
        }
    }
}
