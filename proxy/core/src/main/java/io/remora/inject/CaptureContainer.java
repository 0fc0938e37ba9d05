package io.remora.inject;

import io.remora.inject.PodOptions.CaptureOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The init container of capture, the first of the pod: it sets the rules, or checks those of the CNI plugin and fails
 * without them.
 */
final class CaptureContainer {
    /** Rules of the mode init need a right that Pod Security refuses at its levels baseline and restricted. */
    static final String WARNING =
            "capture: init adds an init container with the capability NET_ADMIN; the namespace must "
                    + "allow it (Pod Security level privileged). With the CNI plugin, write remora.io/capture: cni";

    /** User whose connections are captured, unlike those of the sidecar's user. */
    private static final long CAPTURED_USER = 65_533;

    private CaptureContainer() {}

    static Map<String, @Nullable Object> of(PodOptions pod, String image, boolean masksToken) {
        CaptureOptions options = pod.capture();
        boolean sets = options.mode() == CaptureMode.INIT;
        Map<String, @Nullable Object> security = PodParts.securityContext();
        if (sets) {
            security.put("runAsUser", 0L);
            security.put("runAsGroup", 0L);
            security.put("runAsNonRoot", false);
            security.put("capabilities", Trees.of("drop", List.of("ALL"), "add", List.of("NET_ADMIN")));
        } else {
            security.put("runAsUser", CAPTURED_USER);
            security.put("runAsGroup", CAPTURED_USER);
        }
        Map<String, @Nullable Object> container = Trees.of(
                "name",
                PodParts.CAPTURE,
                "image",
                image,
                "imagePullPolicy",
                PodParts.PULL_POLICY,
                "args",
                sets ? rules(options) : check(options),
                "resources",
                Trees.of("requests", Trees.of("cpu", "5m", "memory", "4Mi"), "limits", Trees.of("memory", "16Mi")),
                "securityContext",
                security);
        if (masksToken) {
            String volume = pod.switches().discoveryToken() ? PodParts.NO_TOKEN_VOLUME : PodParts.TOKEN_VOLUME;
            container.put("volumeMounts", List.of(PodParts.mount(volume, PodParts.TOKEN_DIRECTORY)));
        }
        return container;
    }

    private static List<@Nullable Object> check(CaptureOptions options) {
        List<@Nullable Object> arguments = new ArrayList<>(List.of(
                "verify",
                "--outbound",
                Integer.toString(PodParts.OUTBOUND_PORT),
                "--inbound",
                Integer.toString(PodParts.INBOUND_PORT)));
        // it tries a connection, which none of them may exclude
        add(arguments, "--skip-outbound", options.skipOutbound());
        add(arguments, "--skip-outbound-addresses", options.skipAddresses());
        return arguments;
    }

    private static List<@Nullable Object> rules(CaptureOptions options) {
        List<@Nullable Object> arguments = new ArrayList<>(List.of(
                "up",
                "--uid",
                Long.toString(PodParts.USER),
                "--inbound",
                Integer.toString(PodParts.INBOUND_PORT),
                "--outbound",
                Integer.toString(PodParts.OUTBOUND_PORT)));
        add(arguments, "--inbound-ports", options.inbound());
        add(arguments, "--skip-inbound", options.skipInbound());
        add(arguments, "--skip-outbound", options.skipOutbound());
        add(arguments, "--skip-outbound-addresses", options.skipAddresses());
        return arguments;
    }

    private static void add(List<@Nullable Object> arguments, String option, String value) {
        if (!value.isEmpty()) {
            arguments.add(option);
            arguments.add(value);
        }
    }
}
