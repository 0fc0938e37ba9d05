package io.remora.inject;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The sidecar's container: a native sidecar, which Kubernetes starts before the application and stops after it. */
final class SidecarContainer {
    private static final String ZONE_LABEL = "topology.kubernetes.io/zone";
    private static final long PORT = PodParts.HEALTH_PORT;

    private SidecarContainer() {}

    static Map<String, @Nullable Object> of(
            PodOptions options, boolean zone, boolean masksToken, RewrittenProbes probes) {
        Map<String, @Nullable Object> container = Trees.of(
                "name",
                PodParts.SIDECAR,
                "image",
                options.image().name(),
                "imagePullPolicy",
                PodParts.PULL_POLICY,
                "restartPolicy",
                "Always",
                "args",
                arguments(options, probes),
                "env",
                environment(options, zone),
                "ports",
                List.of(Trees.of("name", "remora-health", "containerPort", PORT, "protocol", "TCP")),
                "startupProbe",
                // each second: the application waits for it
                probe("/ready", 1, 3, 60),
                "readinessProbe",
                probe("/ready", 2, 3, 3),
                "livenessProbe",
                probe("/live", 10, 5, 3),
                "lifecycle",
                Trees.of("preStop", Trees.of("exec", Trees.of("command", drain()))),
                "resources",
                PodResources.of(options.profile(), options.rps()),
                "securityContext",
                PodParts.securityContext());
        List<@Nullable Object> mounts = mounts(options, masksToken);
        if (!mounts.isEmpty()) {
            container.put("volumeMounts", mounts);
        }
        return container;
    }

    private static List<String> drain() {
        return List.of("remora", "drain", "--inbound", "--delay", "5s", "--wait", "20s");
    }

    private static Map<String, @Nullable Object> probe(
            String path, long periodSeconds, long timeoutSeconds, long failures) {
        return Trees.of(
                "httpGet",
                Trees.of("path", path, "port", PORT),
                "periodSeconds",
                periodSeconds,
                "timeoutSeconds",
                timeoutSeconds,
                "failureThreshold",
                failures);
    }

    private static List<@Nullable Object> arguments(PodOptions options, RewrittenProbes probes) {
        // an own configuration has the same name in both modes, so that it need not know them
        boolean captures = options.config() == null && options.capture().mode() != CaptureMode.OFF;
        List<@Nullable Object> arguments = new ArrayList<>(List.of(
                "run",
                "--config",
                PodParts.CONFIG_DIRECTORY + (captures ? "/capture.yaml" : "/remora.yaml"),
                "--health",
                // both families, and one where the pod has no other
                "0.0.0.0:" + PORT,
                "--admin",
                // where the hook looks for it, also if the configuration has another address
                "127.0.0.1:" + PodParts.ADMIN_PORT));
        if (!probes.isEmpty()) {
            arguments.add("--app-probes");
            arguments.add(probes.argument());
        }
        arguments.addAll(options.flags());
        return arguments;
    }

    private static List<@Nullable Object> environment(PodOptions options, boolean zone) {
        List<@Nullable Object> environment = new ArrayList<>();
        environment.add(Trees.of("name", "REMORA_RPS", "value", Long.toString(options.rps())));
        environment.add(PodParts.field("REMORA_POD_NAME", "metadata.name"));
        environment.add(PodParts.field("REMORA_POD_NAMESPACE", "metadata.namespace"));
        environment.add(PodParts.field("REMORA_POD_IP", "status.podIP"));
        if (zone) {
            environment.add(PodParts.field("REMORA_ZONE", "metadata.labels['" + ZONE_LABEL + "']"));
        }
        if (!options.jvmOptions().isEmpty()) {
            environment.add(Trees.of("name", "REMORA_JAVA_OPTS", "value", options.jvmOptions()));
        }
        return environment;
    }

    private static List<@Nullable Object> mounts(PodOptions options, boolean masksToken) {
        List<@Nullable Object> mounts = new ArrayList<>();
        if (options.config() != null) {
            // the whole directory: one file of it would never change
            mounts.add(PodParts.mount(PodParts.CONFIG_VOLUME, PodParts.CONFIG_DIRECTORY));
        }
        if (options.tlsSecret() != null) {
            mounts.add(PodParts.mount(PodParts.TLS_VOLUME, PodParts.TLS_DIRECTORY));
        }
        if (options.switches().discoveryToken() || masksToken) {
            mounts.add(PodParts.mount(PodParts.TOKEN_VOLUME, PodParts.TOKEN_DIRECTORY));
        }
        return mounts;
    }

    /** Returns the volumes of these mounts, and of that of {@link CaptureContainer}. */
    static List<Map<String, @Nullable Object>> volumes(PodOptions options, boolean masksToken) {
        List<Map<String, @Nullable Object>> volumes = new ArrayList<>();
        if (options.config() != null) {
            volumes.add(Trees.of("name", PodParts.CONFIG_VOLUME, "configMap", Trees.of("name", options.config())));
        }
        if (options.tlsSecret() != null) {
            volumes.add(Trees.of("name", PodParts.TLS_VOLUME, "secret", Trees.of("secretName", options.tlsSecret())));
        }
        if (options.switches().discoveryToken()) {
            volumes.add(projected(PodParts.TOKEN_VOLUME, token()));
        }
        if (masksToken && !options.switches().discoveryToken()) {
            // an API server mounts the token of the pod where no other volume has its place
            volumes.add(projected(PodParts.TOKEN_VOLUME, List.of(namespace())));
        } else if (masksToken && options.capture().mode() != CaptureMode.OFF) {
            volumes.add(projected(PodParts.NO_TOKEN_VOLUME, List.of(namespace())));
        }
        return volumes;
    }

    /** Makes a volume that is no data of its own: an emptyDir would keep a node from being drained. */
    private static Map<String, @Nullable Object> projected(String name, List<?> sources) {
        return Trees.of("name", name, "projected", Trees.of("sources", new ArrayList<@Nullable Object>(sources)));
    }

    private static List<Map<String, @Nullable Object>> token() {
        return List.of(
                Trees.of("serviceAccountToken", Trees.of("path", "token", "expirationSeconds", 3607L)),
                Trees.of(
                        "configMap",
                        Trees.of(
                                "name",
                                "kube-root-ca.crt",
                                "items",
                                List.of(Trees.of("key", "ca.crt", "path", "ca.crt")))),
                namespace());
    }

    private static Map<String, @Nullable Object> namespace() {
        return Trees.of(
                "downwardAPI",
                Trees.of(
                        "items",
                        List.of(Trees.of(
                                "path", "namespace", "fieldRef", Trees.of("fieldPath", "metadata.namespace")))));
    }
}
