package io.remora.inject;

import static io.remora.inject.Injected.inject;
import static io.remora.inject.Injected.pod;
import static io.remora.inject.Injected.tree;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.inject.Injection.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pods with a record of an injection whose parts are not those of the injection. */
final class ForgedPodTest {
    private static final String[] ANNOTATIONS = {"remora.io/capture: init", "remora.io/config: a"};

    @ParameterizedTest
    @ValueSource(
            strings = {
                "command: [sh]",
                "args: [run, --config, /tmp/x]",
                "image: evil",
                "envFrom: [{configMapRef: {name: a}}]",
                "securityContext: {privileged: true}",
                "lifecycle: {preStop: {exec: {command: [sh]}}}",
                "restartPolicy: OnFailure",
                "workingDir: /tmp",
                "volumeDevices: [{name: a, devicePath: /dev/a}]",
                "imagePullPolicy: Sometimes",
            })
    void replacesAContainerWithAnotherEntry(String entry) throws Exception {
        for (String name : List.of("remora", "remora-capture")) {
            Map<String, @Nullable Object> pod = injected();
            container(pod, name).putAll(tree(entry));
            replaces(pod);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"command: [sh]", "args: [a]", "securityContext: {privileged: true}", "env: [{name: A}]"})
    void replacesAContainerWithAFurtherEntryInside(String entry) throws Exception {
        Map<String, @Nullable Object> pod = injected();
        tree(entry).forEach((key, value) -> {
            Map<String, @Nullable Object> sidecar = container(pod, "remora");
            if (value instanceof Map<?, ?>) {
                Trees.map(sidecar, key).putAll(Trees.map(value));
            } else if (key.equals("env")) {
                // a second value, which is the one that counts
                Trees.list(sidecar, key).add(Trees.of("name", "REMORA_RPS", "value", "1"));
            } else {
                sidecar.computeIfAbsent(key, any -> new ArrayList<@Nullable Object>());
                Trees.list(sidecar, key).addAll(Trees.list(Trees.of(key, value), key));
            }
        });
        replaces(pod);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "REMORA_JAVA_OPTS",
                "REMORA_ADMIN",
                "JDK_JAVA_OPTIONS",
                "JVM_OPTS",
                "JAVA_TOOL_OPTIONS",
                "_JAVA_OPTIONS",
                "LD_PRELOAD",
                "CLASSPATH",
                "PATH"
            })
    void replacesAContainerWithAVariableOfTheProgram(String name) throws Exception {
        Map<String, @Nullable Object> pod = injected();
        Trees.list(container(pod, "remora"), "env").add(Trees.of("name", name, "value", "a"));
        replaces(pod);
    }

    @Test
    void replacesAContainerWithAFurtherMount() throws Exception {
        Map<String, @Nullable Object> pod = injected();
        Trees.list(container(pod, "remora"), "volumeMounts").add(Trees.of("name", "a", "mountPath", "/opt/remora"));
        replaces(pod);
    }

    @Test
    void replacesAVolumeWithAFurtherSource() throws Exception {
        Map<String, @Nullable Object> pod = injected();
        Map<String, @Nullable Object> mask =
                Trees.maps(Trees.map(pod, "spec"), "volumes").get(1);
        Trees.list(Trees.map(mask, "projected"), "sources")
                .add(Trees.of("serviceAccountToken", Trees.of("path", "token")));
        replaces(pod);
    }

    @Test
    void putsItsContainersFirstAgain() throws Exception {
        for (int place = 0; place < 2; place++) {
            Map<String, @Nullable Object> pod = injected();
            Trees.list(Trees.map(pod, "spec"), "initContainers").add(place, Trees.of("name", "first", "image", "a"));
            Injection again = inject(pod);
            assertThat(again.outcome()).isEqualTo(Outcome.INJECTED);
            assertThat(Trees.maps(Trees.map(again.pod(), "spec"), "initContainers"))
                    .extracting(Trees::name)
                    .containsExactly("remora-capture", "remora", "first");
        }
        Map<String, @Nullable Object> swapped = injected();
        Collections.reverse(Trees.list(Trees.map(swapped, "spec"), "initContainers"));
        replaces(swapped);
    }

    /** Adds the defaults that an API server writes into a pod. */
    @Test
    void leavesTheDefaultsOfTheServerAlone() throws Exception {
        Map<String, @Nullable Object> pod = injected();
        for (Map<String, @Nullable Object> one : Trees.maps(Trees.map(pod, "spec"), "initContainers")) {
            one.putAll(tree("{imagePullPolicy: IfNotPresent, terminationMessagePath: /dev/termination-log, "
                    + "terminationMessagePolicy: File}"));
            for (String probe : RewrittenProbes.PROBE_KEYS) {
                Trees.map(one, probe).put("successThreshold", 1L);
                Trees.map(Trees.map(one, probe), "httpGet").put("scheme", "HTTP");
            }
            for (Map<String, @Nullable Object> variable : Trees.maps(one, "env")) {
                Trees.map(Trees.map(variable, "valueFrom"), "fieldRef").put("apiVersion", "v1");
            }
        }
        List<Map<String, @Nullable Object>> volumes = Trees.maps(Trees.map(pod, "spec"), "volumes");
        Trees.map(volumes.get(0), "configMap").put("defaultMode", 420L);
        Trees.map(volumes.get(1), "projected").put("defaultMode", 420L);
        // of a LimitRange
        Trees.map(Trees.map(container(pod, "remora"), "resources"), "limits").put("cpu", "1");
        assertThat(inject(pod).outcome()).isEqualTo(Outcome.UNCHANGED);
    }

    private static Map<String, @Nullable Object> injected() throws InjectException {
        return Trees.map(Trees.copy(inject(pod(ANNOTATIONS)).pod()));
    }

    private static Map<String, @Nullable Object> container(Map<String, @Nullable Object> pod, String name) {
        return Injected.container(new Injection(Outcome.INJECTED, pod, List.of()), name);
    }

    private static void replaces(Map<String, @Nullable Object> pod) throws InjectException {
        Injection again = inject(pod);
        assertThat(again.outcome()).isEqualTo(Outcome.INJECTED);
        assertThat(again.pod()).isEqualTo(inject(pod(ANNOTATIONS)).pod());
    }
}
