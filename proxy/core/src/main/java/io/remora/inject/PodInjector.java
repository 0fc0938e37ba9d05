package io.remora.inject;

import io.remora.inject.Injection.Outcome;
import io.remora.json.JsonWriter;
import io.remora.text.Ascii;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Injection of the sidecar into a pod, as a function of the pod, its namespace and the settings.
 *
 * <p>Immutable, and safe for use by several threads. The given pod is never changed. An earlier injection is undone first,
 * so that a second one gives the same pod, and a changed annotation takes effect.
 */
public final class PodInjector {
    private final InjectorSettings settings;
    private final ProfileTable table;

    public PodInjector(InjectorSettings settings, ProfileTable table) {
        this.settings = settings;
        this.table = table;
    }

    /**
     * Returns the pod with the sidecar, or the reason why it has none.
     *
     * @param pod a Pod or the template of one, as a tree of JSON
     * @param namespace the namespace in which the pod will be; its configuration comes from there
     * @param selected whether a pod without the annotation {@code remora.io/inject} gets a sidecar
     */
    public Injection inject(Map<String, @Nullable Object> pod, String namespace, boolean selected) {
        Map<String, @Nullable Object> clean = Trees.map(Trees.copy(pod));
        try {
            Map<String, @Nullable Object> record = Undo.record(pod);
            if (record != null) {
                Undo.apply(clean, record);
            }
            return inject(pod, clean, namespace, selected);
        } catch (InjectException e) {
            return new Injection(Outcome.REFUSED, pod, e.problems());
        }
    }

    /** Returns the pod as it was before the injection. */
    public Injection undo(Map<String, @Nullable Object> pod) {
        try {
            Map<String, @Nullable Object> record = Undo.record(pod);
            if (record == null) {
                return new Injection(Outcome.UNCHANGED, pod, List.of());
            }
            Map<String, @Nullable Object> clean = Trees.map(Trees.copy(pod));
            Undo.apply(clean, record);
            return new Injection(Outcome.INJECTED, clean, List.of());
        } catch (InjectException e) {
            return new Injection(Outcome.REFUSED, pod, e.problems());
        }
    }

    private Injection inject(
            Map<String, @Nullable Object> given,
            Map<String, @Nullable Object> pod,
            String namespace,
            boolean selected) {
        Map<String, @Nullable Object> annotations = Trees.map(Trees.map(pod, "metadata"), "annotations");
        String reason = reasonToSkip(annotations.get(Annotation.INJECT.key()), namespace, selected);
        if (reason != null) {
            // an earlier injection goes when its pod opts out
            Outcome outcome = pod.equals(given) ? Outcome.SKIPPED : Outcome.INJECTED;
            return new Injection(outcome, outcome == Outcome.SKIPPED ? given : pod, List.of(reason));
        }
        List<String> problems = new ArrayList<>();
        PodOptions options = new OptionsReader(annotations, settings, table, problems).read(Trees.map(pod, "spec"));
        PodRules.judge(pod, options, problems);
        if (options == null || !problems.isEmpty()) {
            return new Injection(Outcome.REFUSED, given, problems);
        }
        add(pod, options, problems);
        if (!problems.isEmpty()) {
            return new Injection(Outcome.REFUSED, given, problems);
        }
        List<String> warnings =
                options.capture().mode() == CaptureMode.INIT ? List.of(CaptureContainer.WARNING) : List.of();
        return OwnParts.areThere(given, pod)
                ? new Injection(Outcome.UNCHANGED, given, warnings)
                : new Injection(Outcome.INJECTED, pod, warnings);
    }

    private @Nullable String reasonToSkip(@Nullable Object wish, String namespace, boolean selected) {
        if (settings.exemptNamespaces().contains(namespace)) {
            return "nothing is injected in the namespace " + namespace;
        }
        if ("false".equals(wish)) {
            return Annotation.INJECT.key() + " is false";
        }
        // any other value is a problem, which is reported with those of the other annotations
        return wish == null && !selected ? "neither the namespace nor the pod asks for a sidecar" : null;
    }

    private void add(Map<String, @Nullable Object> pod, PodOptions options, List<String> problems) {
        Additions additions = new Additions();
        Map<String, @Nullable Object> spec = Trees.map(pod, "spec");
        RewrittenProbes probes = new RewrittenProbes(problems);
        for (String part : new String[] {"containers", "initContainers"}) {
            for (Map<String, @Nullable Object> container : Trees.maps(spec, part)) {
                if (options.switches().rewritesProbes()) {
                    probes.rewrite(container);
                }
                if (part.equals("containers") && options.drainSleepSeconds() > 0) {
                    addSleep(container, options.drainSleepSeconds(), additions);
                }
            }
        }
        probes.judge();
        additions.put("handlers", probes.originals());
        NodeArchitecture.require(spec, options.image().architectures(), additions, problems);
        boolean masksToken = !Boolean.FALSE.equals(spec.get("automountServiceAccountToken"));
        addVolumes(spec, SidecarContainer.volumes(options, masksToken), additions);
        List<@Nullable Object> first = additions.list(spec, "initContainers", "initContainers");
        first.add(0, SidecarContainer.of(options, settings.zone(), masksToken, probes));
        additions.add("containers", PodParts.SIDECAR);
        if (options.capture().mode() != CaptureMode.OFF) {
            first.add(0, CaptureContainer.of(options, settings.capture().image(), masksToken));
            additions.add("containers", PodParts.CAPTURE);
        }
        addAnnotations(pod, options.capture().mode(), additions);
    }

    private static void addSleep(Map<String, @Nullable Object> container, long seconds, Additions additions) {
        String name = Trees.name(container);
        if (Trees.map(container, "lifecycle").get("preStop") == null) {
            additions
                    .map(container, "lifecycle", "lifecycle:" + name)
                    .put("preStop", Trees.of("sleep", Trees.of("seconds", seconds)));
            additions.add("sleep", name);
        }
    }

    private static void addVolumes(
            Map<String, @Nullable Object> spec, List<Map<String, @Nullable Object>> volumes, Additions additions) {
        for (Map<String, @Nullable Object> volume : volumes) {
            additions.list(spec, "volumes", "volumes").add(volume);
            additions.add("volumes", Trees.name(volume));
        }
    }

    private static void addAnnotations(Map<String, @Nullable Object> pod, CaptureMode mode, Additions additions) {
        Map<String, @Nullable Object> metadata = additions.map(pod, "metadata", "metadata");
        Map<String, @Nullable Object> annotations = additions.map(metadata, "annotations", "annotations");
        if (mode == CaptureMode.CNI && annotations.get(Annotation.CAPTURE.key()) == null) {
            // the plugin reads it, wherever the choice came from
            annotations.put(Annotation.CAPTURE.key(), mode.word());
            additions.add("annotations", Annotation.CAPTURE.key());
        }
        Map<String, @Nullable Object> status = new LinkedHashMap<>();
        status.put("version", Undo.VERSION);
        status.putAll(additions.record());
        annotations.put(Annotation.STATUS, JsonWriter.line(status));
    }

    /** Returns a pod's name in a message. */
    static String nameOf(Map<String, @Nullable Object> object) {
        Map<String, @Nullable Object> metadata = Trees.map(object, "metadata");
        String name = Trees.text(metadata.get("name"));
        String beginning = Objects.requireNonNullElse(Trees.text(metadata.get("generateName")), "");
        return Ascii.oneLine(name == null ? beginning + "*" : name);
    }
}
