package io.remora.inject;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Settings of the operator, which annotations choose from and cannot exceed. Immutable; {@link SettingsReader} fills it from
 * injector.yaml.
 *
 * @param image the image of the sidecar without an annotation, one of the images
 * @param images the allowed images
 * @param capture the image that sets the rules of capture, and the mode without an annotation
 * @param engines the allowed engines
 * @param jvmOptions the allowed JVM options; one that ends with an asterisk allows all that begin with it
 * @param rps the rate without an annotation
 * @param zone whether the sidecar gets its zone from the label {@code topology.kubernetes.io/zone} of the pod
 * @param rewritesProbes whether probes of the application pass the sidecar without an annotation
 * @param exemptNamespaces namespaces in which nothing is injected
 * @param webhook the part of the file that only the webhook reads
 */
public record InjectorSettings(
        String image,
        List<SidecarImage> images,
        CaptureSettings capture,
        List<String> engines,
        List<String> jvmOptions,
        long rps,
        boolean zone,
        boolean rewritesProbes,
        List<String> exemptNamespaces,
        Map<String, @Nullable Object> webhook) {

    /**
     * An allowed image of the sidecar.
     *
     * @param runtime the name of its runtime image, in the table of profiles
     * @param architectures those of the nodes that can run it, as in {@code kubernetes.io/arch}; empty for any node
     */
    public record SidecarImage(String name, String runtime, List<String> architectures) {}

    /** How connections are captured unless a pod says otherwise, and by which image. */
    public record CaptureSettings(CaptureMode mode, String image) {}

    /** Returns the settings without a file. */
    public static InjectorSettings defaults() {
        List<String> amd64 = List.of("amd64");
        return new InjectorSettings(
                "remora:i386",
                List.of(
                        new SidecarImage("remora:i386", "i386-client", amd64),
                        new SidecarImage("remora:compact3", "compact3-amd64", amd64)),
                new CaptureSettings(CaptureMode.OFF, "remora-capture"),
                List.of("netty"),
                List.of(),
                1000,
                true,
                true,
                List.of("kube-system", "kube-public", "kube-node-lease", "remora-system"),
                Map.of());
    }

    @Nullable
    SidecarImage allowed(String name) {
        for (SidecarImage one : images) {
            if (one.name.equals(name)) {
                return one;
            }
        }
        return null;
    }
}
