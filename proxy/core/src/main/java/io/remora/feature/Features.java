package io.remora.feature;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Option;
import io.remora.config.model.Options;
import io.remora.config.model.ProxyConfig;
import io.remora.config.yaml.FeatureKeys;
import io.remora.config.yaml.FeatureSection;
import io.remora.exchange.ListenerLoop;
import io.remora.feature.fault.FaultKeys;
import io.remora.feature.fault.FaultReader;
import io.remora.feature.fault.Faults;
import io.remora.feature.mirror.MirrorReader;
import io.remora.feature.mirror.Mirroring;
import io.remora.feature.ratelimit.RateLimitReader;
import io.remora.feature.ratelimit.RateLimits;
import io.remora.feature.servertiming.ServerTiming;
import io.remora.metrics.Stats;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The list of features, with the keys of listeners and routes that they own.
 *
 * <p>Thread safe.
 */
public final class Features {
    // the features' own options by name, which loads nothing of them
    public static final Option<?> RATE_LIMITS = Option.of(RateLimits.NAME);
    private static final Option<?> MIRROR = Option.of(Mirroring.NAME);
    private static final Option<?> FAULT = Option.of(FaultKeys.NAME);

    private final Stats stats;
    /** Null until a listener has a feature. */
    private @Nullable Keeper keeper;

    /** Returns the features of a listener. Each is one line: what switches it on, and its class, which is loaded only then. */
    private static List<Feature> of(ListenerConfig listener) {
        List<Feature> on = new ArrayList<>();
        add(on, listener.uses(RATE_LIMITS) ? new RateLimits() : null);
        add(on, listener.uses(ListenerConfig.SERVER_TIMING) ? new ServerTiming() : null);
        add(on, listener.uses(MIRROR) ? new Mirroring() : null);
        add(on, listener.uses(FAULT) ? new Faults() : null);
        return on;
    }

    private static void add(List<Feature> on, @Nullable Feature feature) {
        if (feature != null) {
            on.add(feature);
        }
    }

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
        for (Feature each : of(listener)) {
            each.add(listener, keeper(), path);
        }
    }

    /** Makes the parts that features keep of a listener on one event loop. */
    public void join(ListenerConfig listener, ListenerLoop onLoop, Stats stats) {
        for (Feature each : of(listener)) {
            each.join(listener, onLoop, stats);
        }
    }

    /** Makes what event loops share of these listeners; to be held until each loop has made its stages. */
    public List<Object> prepare(List<ListenerConfig> listeners) {
        List<Object> held = new ArrayList<>();
        for (ListenerConfig listener : listeners) {
            for (Feature each : of(listener)) {
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
            for (Feature each : of(listener)) {
                bytes += each.heapBytesBeside(listener, next);
            }
        }
        return bytes;
    }

    private static long onceBytes(ProxyConfig config) {
        long bytes = 0;
        for (ListenerConfig listener : config.listeners()) {
            for (Feature each : of(listener)) {
                bytes += each.heapBytes(listener);
            }
        }
        return bytes;
    }

    /** The keys that features own. A reader is loaded where the file has its key. */
    public static final class Keys implements FeatureKeys {
        @Override
        public List<String> ofListeners() {
            return List.of(RateLimits.NAME);
        }

        @Override
        public List<String> ofRoutes() {
            return List.of(RateLimits.NAME, Mirroring.NAME, FaultKeys.NAME);
        }

        @Override
        public boolean isForTunnels(String name) {
            return name.equals(RateLimits.NAME);
        }

        @Override
        public boolean isForForwarding(String name) {
            return name.equals(Mirroring.NAME);
        }

        @Override
        public Options read(String name, FeatureSection from, Options options) {
            return switch (name) {
                case RateLimits.NAME -> RateLimitReader.read(from, options);
                case Mirroring.NAME -> MirrorReader.read(from, options);
                case FaultKeys.NAME -> FaultReader.read(from, options);
                default -> throw new IllegalArgumentException(name);
            };
        }
    }
}
