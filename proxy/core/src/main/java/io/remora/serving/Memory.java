package io.remora.serving;

import io.netty.util.internal.PlatformDependent;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Limits;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.feature.Features;
import io.remora.feature.tracing.Tracers;
import io.remora.http2.BackendCosts;
import io.remora.http2.FrontendCosts;
import io.remora.memory.MemoryCosts;
import io.remora.memory.MemoryLimit;
import io.remora.memory.MemoryPlan;
import io.remora.memory.MemoryWatch;
import io.remora.metrics.MemoryState;
import io.remora.process.ProcFile;
import org.jspecify.annotations.Nullable;

/** Checks of a configuration against the memory at hand. Pure functions of the configuration and of the process. */
public final class Memory {
    private Memory() {}

    /**
     * Divides the memory of this process as the configuration asks for.
     *
     * @param files whose library for TLS says what connections cost that it protects
     */
    public static MemoryPlan plan(ProxyConfig config, ProcessFiles files) {
        MemoryLimit limit = MemoryLimit.read(
                PlatformDependent.maxDirectMemory(),
                ProcFile.field(ProcFile.read("/proc/meminfo"), "MemTotal:"),
                ProcFile.field(ProcFile.read("/proc/self/status"), "VmRSS:"));
        return MemoryPlan.of(limit, config.workers(), costs(config, files));
    }

    /** Returns what connections cost beyond plain ones. */
    public static MemoryCosts costs(ProxyConfig config, ProcessFiles files) {
        return costs(config, files, Features.heapBytes(config));
    }

    /** Returns the same where so much of the heap has been reserved for features. */
    public static MemoryCosts costs(ProxyConfig config, ProcessFiles files, long featureBytes) {
        // without TLS none of its classes is loaded
        MemoryCosts costs = config.hasTls() ? files.tls().costs(config) : MemoryCosts.NONE;
        costs = config.hasHttp2Clients() ? FrontendCosts.of(costs) : costs;
        costs = config.hasHttp2Backends() ? BackendCosts.of(costs, config) : costs;
        return costs.holding(featureBytes + spansBytes(config));
    }

    /** Returns how the memory is divided, and how much of it is used. */
    public static MemoryState state(MemoryWatch watch, ProxyConfig config) {
        watch.lookAtLimit();
        MemoryPlan plan = watch.plan();
        return new MemoryState(
                plan.limit().bytes(),
                watch.usageBytes(),
                plan.poolBytes(),
                watch.pressure().number(),
                watch.changes(),
                plan.connections(),
                plan.exchanges(),
                plan.hasHandshakes() ? plan.handshakes() : -1,
                watch.countedBytes(),
                plan.connectionHeapBytes(),
                plan.exchangeHeapBytes(),
                spansBytes(config),
                notice(watch, config) == null ? 0 : 1);
    }

    /** Returns why a limit that has changed while the process runs is too low for the configuration; null where it is not. */
    public static @Nullable String notice(MemoryWatch watch, ProxyConfig config) {
        watch.lookAtLimit();
        if (!watch.isDivided()) {
            return null;
        }
        String tooLow = watch.tooLow();
        return tooLow == null ? problem(watch.plan(), config) : tooLow;
    }

    /** Returns in one sentence why the memory does not suffice for the configuration; null where it does. */
    public static @Nullable String problem(MemoryPlan plan, ProxyConfig config) {
        String inHeap = tablesProblem(plan, config);
        if (inHeap == null) {
            inHeap = endpointsProblem(plan, config);
        }
        if (inHeap != null || plan.limit().bytes() == 0) {
            return inHeap;
        }
        String problem = plan.problem();
        if (problem == null) {
            problem = problem(plan, config, "connections", plan.connections(), true);
        }
        return problem == null ? problem(plan, config, "in-flight", plan.exchanges(), false) : problem;
    }

    /** Returns the bytes of the heap that spans may take. Without tracing, none of its classes is loaded. */
    static long spansBytes(ProxyConfig config) {
        return config.options().has(ProxyConfig.TRACING) ? Tracers.heapBytes(config) : 0;
    }

    // the heap is bounded, whether the process is or not
    private static @Nullable String tablesProblem(MemoryPlan plan, ProxyConfig config) {
        long bytes = Features.heapBytes(config) + spansBytes(config);
        long room = Math.max(0, plan.limit().heapMaxBytes() - MemoryPlan.BASE_HEAP_BYTES) / 2;
        return bytes <= room
                ? null
                : "memory: a heap of up to " + plan.limit().heapMaxBytes() + " bytes has " + room
                        + " for the tables of rate limits and for spans, with those before a reload; the"
                        + " configuration's ask for "
                        + bytes;
    }

    private static @Nullable String endpointsProblem(MemoryPlan plan, ProxyConfig config) {
        long listed = 0;
        for (ClusterConfig cluster : config.clusters().values()) {
            listed += cluster.endpoints().size();
        }
        long most = plan.endpointsBytes() / MemoryPlan.ENDPOINT_HEAP_BYTES / config.workers();
        return listed <= most
                ? null
                : "memory: a heap of up to " + plan.limit().heapMaxBytes() + " bytes has room for " + most
                        + " endpoints; the configuration lists " + listed;
    }

    private static @Nullable String problem(
            MemoryPlan plan, ProxyConfig config, String key, int most, boolean connections) {
        long asked = asked(config, connections);
        if (asked <= most) {
            return null;
        }
        return "memory: " + plan.limit().from() + " allows " + plan.limit().bytes() + " bytes, which is enough for "
                + key + ": " + most + " over all listeners; the configuration asks for " + asked;
    }

    // listeners at their defaults share what the plan allows for, which follows from the heap; what somebody asks for
    // is not cut down
    private static long asked(ProxyConfig config, boolean connections) {
        long asked = 0;
        for (ListenerConfig listener : config.listeners()) {
            Limits limits = listener.limits();
            int count = connections ? limits.connections() : limits.inFlightExchanges();
            int byDefault = connections ? Limits.CONNECTIONS_BY_DEFAULT : Limits.IN_FLIGHT_BY_DEFAULT;
            asked += count == byDefault ? 0 : count;
        }
        return asked;
    }

    /** Warns of limits that the heap has no room for, where no memory limit has them refused; null for none. */
    public static @Nullable String warning(MemoryPlan plan, ProxyConfig config) {
        long heapBytes = plan.limit().heapMaxBytes();
        long asked = askedHeapBytes(config);
        return plan.limit().bytes() > 0 || asked <= heapBytes
                ? null
                : "memory: the limits of listeners need " + (asked >> 20) + " MiB of heap, and the JVM may use "
                        + (heapBytes >> 20)
                        + "; less is served, lower limits.connections and limits.in-flight or raise -Xmx";
    }

    private static long askedHeapBytes(ProxyConfig config) {
        return MemoryPlan.BASE_HEAP_BYTES
                + asked(config, true) * MemoryPlan.CONNECTION_HEAP_BYTES
                + asked(config, false) * MemoryPlan.EXCHANGE_HEAP_BYTES;
    }
}
