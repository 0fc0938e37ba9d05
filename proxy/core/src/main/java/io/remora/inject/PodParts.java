package io.remora.inject;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Names, ports and paths that the parts of an injected pod share, and that other components know. */
final class PodParts {
    static final String SIDECAR = "remora";
    static final String CAPTURE = "remora-capture";

    static final String CONFIG_VOLUME = "remora-config";
    static final String TLS_VOLUME = "remora-tls";
    /** Volume at the place of the service account's token: a token for discovery, or nothing. */
    static final String TOKEN_VOLUME = "remora-token";
    /** Volume without a token, where the other one has the token for discovery. */
    static final String NO_TOKEN_VOLUME = "remora-no-token";

    /** Names of the containers and volumes that an injection adds. */
    static final Set<String> CONTAINERS = Set.of(SIDECAR, CAPTURE);

    static final Set<String> VOLUMES = Set.of(CONFIG_VOLUME, TLS_VOLUME, TOKEN_VOLUME, NO_TOKEN_VOLUME);

    static final String CONFIG_DIRECTORY = "/etc/remora";
    static final String TLS_DIRECTORY = "/etc/remora-tls";
    static final String TOKEN_DIRECTORY = "/var/run/secrets/kubernetes.io/serviceaccount";

    /** Images are unpublished, and a node may have them loaded; a tag such as {@code latest} would always be pulled. */
    static final String PULL_POLICY = "IfNotPresent";

    static final int HEALTH_PORT = 15_020;
    static final int INBOUND_PORT = 15_006;
    static final int OUTBOUND_PORT = 15_001;
    static final int ADMIN_PORT = 9_990;
    /** Port of the listener in the image's own configuration without capture. */
    static final int DEFAULT_PORT = 8_080;
    /** Port of the application in that configuration. */
    static final int APPLICATION_PORT = 8_081;
    /** User and group of the sidecar, whose connections capture leaves alone. */
    static final long USER = 65_532;

    private PodParts() {}

    static Map<String, @Nullable Object> securityContext() {
        return Trees.of(
                "runAsUser",
                USER,
                "runAsGroup",
                USER,
                "runAsNonRoot",
                true,
                "readOnlyRootFilesystem",
                true,
                "allowPrivilegeEscalation",
                false,
                "capabilities",
                Trees.of("drop", List.of("ALL")),
                "seccompProfile",
                Trees.of("type", "RuntimeDefault"));
    }

    static Map<String, @Nullable Object> mount(String volume, String directory) {
        return Trees.of("name", volume, "mountPath", directory, "readOnly", true);
    }

    static Map<String, @Nullable Object> field(String name, String path) {
        return Trees.of("name", name, "valueFrom", Trees.of("fieldRef", Trees.of("fieldPath", path)));
    }
}
