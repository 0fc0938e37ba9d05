package io.remora.inject;

import io.remora.inject.ProfileTable.Profile;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Resource requests and limits of the sidecar for its image, profile and rate.
 *
 * <p>The memory request is the measured working set of the runtime image at 1,000 requests a second, and the CPU request is
 * the rate times the measured CPU time of a request. The memory limit is twice the measured peak, and at least 64 MiB: one
 * half for the program, one half for connections and exchanges. There is no CPU limit: the kernel would stop a sidecar
 * that has used its share until the next period of 100 ms, and each request would wait for that long.
 */
final class PodResources {
    /** Figures of a runtime image: docs/operations.md has its working set, docs/measurements/comparison.md its CPU time. */
    record Measured(int workingSetMib, int cpuMicrosPerRequest) {}

    private static final Map<String, Measured> MEASURED = Map.of(
            "i386-client", new Measured(9, 66),
            "amd64-c1", new Measured(12, 59),
            "compact3-amd64", new Measured(12, 60),
            "amd64-tiered", new Measured(29, 84));

    private static final long MIB = 1 << 20;
    private static final long LEAST_LIMIT_MIB = 64;
    private static final long LEAST_MILLICORES = 5;
    /** The most of those measured, for an image that was not. */
    private static final int CPU_NOT_MEASURED = 84;

    private PodResources() {}

    static @Nullable Measured measured(String runtime) {
        return MEASURED.get(runtime);
    }

    static Map<String, @Nullable Object> of(Profile profile, long rps) {
        Measured measured = MEASURED.get(profile.image());
        // without a figure, the peak: the scheduler must not count on less
        long request = measured == null ? mib(profile.peakBytes()) : measured.workingSetMib();
        long limit = Math.max(LEAST_LIMIT_MIB, mib(2 * profile.peakBytes()));
        int micros = measured == null ? CPU_NOT_MEASURED : measured.cpuMicrosPerRequest();
        long millicores = Math.max(LEAST_MILLICORES, (rps * micros + 999) / 1000);
        return Trees.of(
                "requests",
                Trees.of("cpu", millicores + "m", "memory", request + "Mi"),
                "limits",
                Trees.of("memory", limit + "Mi"));
    }

    private static long mib(long bytes) {
        return (bytes + MIB - 1) / MIB;
    }
}
