package io.remora.feature;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Option;
import io.remora.config.model.ProxyConfig;
import io.remora.exchange.ListenerLoop;
import io.remora.feature.answer.Answering;
import io.remora.feature.clients.ClientLists;
import io.remora.feature.ratelimit.RateLimits;
import io.remora.feature.rewrite.Rewriting;
import io.remora.feature.servertiming.ServerTiming;
import io.remora.feature.split.Splitting;
import io.remora.metrics.Stats;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The features of a data path, and what they keep for the process; {@link FeatureList} lists them.
 *
 * <p>Thread safe.
 */
public final class Features {
    // options of features that others ask for, by name, which loads nothing of them
    public static final Option<?> RATE_LIMITS = Option.of(RateLimits.NAME);
    public static final Option<?> SERVER_TIMING = Option.of(ServerTiming.NAME);
    public static final Option<?> CLIENTS = Option.of(ClientLists.NAME);
    public static final Option<?> REWRITE = Option.of(Rewriting.REWRITE);
    public static final Option<?> REQUEST_HEADERS = Option.of(Rewriting.REQUEST_HEADERS);
    public static final Option<?> RESPONSE_HEADERS = Option.of(Rewriting.RESPONSE_HEADERS);
    public static final Option<?> REDIRECT = Option.of(Answering.REDIRECT);
    public static final Option<?> RESPOND = Option.of(Answering.RESPOND);
    public static final Option<?> SPLIT = Option.of(Splitting.CLUSTERS);

    private final Stats stats;
    /** Null until a listener has a feature. */
    private @Nullable Keeper keeper;

    public Features(Stats stats) {
        this.stats = stats;
    }

    private synchronized Keeper keeper() {
        Keeper known = keeper;
        if (known == null) {
            known = new Keeper(stats);
            keeper = known;
        }
        return known;
    }

    /** Adds the stages of a listener's features. */
    public void add(ListenerConfig listener, StagePath path) {
        for (Feature each : FeatureList.of(listener)) {
            each.add(listener, keeper(), path);
        }
    }

    /** Makes the parts that features keep of a listener on one event loop. */
    public void join(ListenerConfig listener, ListenerLoop onLoop, Stats stats) {
        for (Feature each : FeatureList.of(listener)) {
            each.join(listener, onLoop, stats);
        }
    }

    /** Makes what event loops share of these listeners; to be held until each loop has made its stages. */
    public List<Object> prepare(List<ListenerConfig> listeners) {
        List<Object> held = new ArrayList<>();
        for (ListenerConfig listener : listeners) {
            for (Feature each : FeatureList.of(listener)) {
                each.prepare(listener, keeper(), held);
            }
        }
        return held;
    }

    /** Ends what features keep for listeners that are none any longer. */
    public synchronized void keepOnly(List<ListenerConfig> listeners) {
        if (keeper != null) {
            keeper.keepOnly(listeners);
        }
    }

    /** Returns the heap of all features, in bytes: twice, as a reload makes it again while the former is in use. */
    public static long heapBytes(ProxyConfig config) {
        return 2 * onceBytes(config);
    }

    /** Returns the heap of all features while one configuration replaces another: what both have counts once. */
    public static long heapBytes(ProxyConfig running, ProxyConfig next) {
        long bytes = onceBytes(next);
        for (ListenerConfig listener : running.listeners()) {
            for (Feature each : FeatureList.of(listener)) {
                bytes += each.heapBytesBeside(listener, next);
            }
        }
        return bytes;
    }

    private static long onceBytes(ProxyConfig config) {
        long bytes = 0;
        for (ListenerConfig listener : config.listeners()) {
            for (Feature each : FeatureList.of(listener)) {
                bytes += each.heapBytes(listener);
            }
        }
        return bytes;
    }
}
