package io.remora.inject;

import io.remora.text.Ascii;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Rules on a pod that has no sidecar yet: reasons why it cannot have one, or cannot be captured. */
final class PodRules {
    private static final Set<Long> OWN_PORTS =
            Set.of((long) PodParts.HEALTH_PORT, (long) PodParts.INBOUND_PORT, (long) PodParts.OUTBOUND_PORT, (long)
                    PodParts.ADMIN_PORT);
    private static final String[] LISTS = {"containers", "initContainers"};

    private PodRules() {}

    /** @param options null if they have problems of their own */
    static void judge(Map<String, @Nullable Object> pod, @Nullable PodOptions options, List<String> problems) {
        Map<String, @Nullable Object> spec = Trees.map(pod, "spec");
        if (Trees.maps(spec, "containers").isEmpty()) {
            problems.add("the pod has no containers; write spec.containers");
        }
        if ("windows".equals(Trees.map(spec, "os").get("name"))) {
            problems.add("spec.os.name is windows; the sidecar runs on Linux, annotate remora.io/inject: \"false\"");
        }
        if (Boolean.TRUE.equals(spec.get("hostNetwork"))) {
            problems.add("hostNetwork is true; the ports of the sidecar and the rules of capture would be those of the "
                    + "whole node, annotate " + Annotation.INJECT.key() + ": \"false\"");
        }
        judgeWish(pod, problems);
        for (Map<String, @Nullable Object> volume : Trees.maps(spec, "volumes")) {
            if (PodParts.VOLUMES.contains(Trees.name(volume))) {
                problems.add("a volume is named " + Trees.name(volume) + ", which the injection uses; rename it");
            }
        }
        // the sidecar starts first, so that the application could not bind the port of the image's configuration
        boolean listens =
                options != null && options.config() == null && options.capture().mode() == CaptureMode.OFF;
        for (String list : LISTS) {
            for (Map<String, @Nullable Object> container : Trees.maps(spec, list)) {
                judge(container, listens, problems);
            }
        }
        if (options != null && options.capture().mode() != CaptureMode.OFF) {
            judgeCapture(spec, problems);
        }
    }

    private static void judgeWish(Map<String, @Nullable Object> pod, List<String> problems) {
        String wish =
                Trees.text(Trees.map(Trees.map(pod, "metadata"), "annotations").get(Annotation.INJECT.key()));
        if (wish != null && !wish.equals("true") && !wish.equals("false")) {
            problems.add(
                    "annotation " + Annotation.INJECT.key() + " is " + Ascii.quote(wish) + "; write true or false");
        }
    }

    /** @param listens whether the sidecar listens on its default port */
    private static void judge(Map<String, @Nullable Object> container, boolean listens, List<String> problems) {
        String name = Trees.name(container);
        if (PodParts.CONTAINERS.contains(name)) {
            problems.add("a container is named " + name + ", and no injection has added it; rename or remove it");
            return;
        }
        for (Map<String, @Nullable Object> port : Trees.maps(container, "ports")) {
            if (!(port.get("containerPort") instanceof Long number)) {
                continue;
            }
            String uses = "container " + Ascii.quote(name) + " uses the port " + number;
            if (OWN_PORTS.contains(number)) {
                problems.add(uses + ", which is the sidecar's; use another one");
            } else if (listens
                    && number == PodParts.DEFAULT_PORT
                    && "TCP".equals(port.getOrDefault("protocol", "TCP"))) {
                problems.add(uses + ", on which the sidecar listens by default; annotate " + Annotation.CONFIG.key()
                        + " with a ConfigMap that has another port, or " + Annotation.CAPTURE.key()
                        + ": init or cni, or move the application to port " + PodParts.APPLICATION_PORT);
            }
        }
    }

    private static void judgeCapture(Map<String, @Nullable Object> spec, List<String> problems) {
        judgeUser("the pod", spec, problems);
        for (String list : LISTS) {
            for (Map<String, @Nullable Object> container : Trees.maps(spec, list)) {
                judgeUser("container " + Ascii.quote(Trees.name(container)), container, problems);
            }
        }
    }

    private static void judgeUser(String who, Map<String, @Nullable Object> spec, List<String> problems) {
        if (Long.valueOf(PodParts.USER)
                .equals(Trees.map(spec, "securityContext").get("runAsUser"))) {
            problems.add(who + " runs as user " + PodParts.USER
                    + ", whose connections are not captured because it is the sidecar's; use another runAsUser");
        }
    }
}
