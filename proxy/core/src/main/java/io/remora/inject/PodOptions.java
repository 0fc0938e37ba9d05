package io.remora.inject;

import io.remora.inject.InjectorSettings.SidecarImage;
import io.remora.inject.ProfileTable.Profile;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Choices for one pod, made of its annotations and the settings of the operator. Immutable.
 *
 * @param rps the rate that the sidecar gets
 * @param config the name of a ConfigMap, or null for the configuration in the image
 * @param flags words of the command line that annotations add
 * @param tlsSecret the name of a Secret, or null
 * @param drainSleepSeconds 0 without a sleep
 * @param jvmOptions empty without any
 */
record PodOptions(
        SidecarImage image,
        Profile profile,
        long rps,
        @Nullable String config,
        List<String> flags,
        @Nullable String tlsSecret,
        CaptureOptions capture,
        long drainSleepSeconds,
        String jvmOptions,
        Switches switches) {

    /** How connections come to the sidecar, and which do not. The lists have commas between their items; empty without any. */
    record CaptureOptions(
            CaptureMode mode, String inbound, String skipInbound, String skipOutbound, String skipAddresses) {}

    /** Parts that are added or left out. */
    record Switches(boolean discoveryToken, boolean rewritesProbes) {}
}
