package io.remora.inject;

import static io.remora.inject.Injected.container;
import static io.remora.inject.Injected.inject;
import static io.remora.inject.Injected.pod;
import static io.remora.inject.Injected.settings;
import static io.remora.inject.Injected.tree;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.inject.Injection.Outcome;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Injection into one pod: what is added, what is refused, and that it can be repeated and undone. */
final class PodInjectorTest {
    private static final String PROBED = RewrittenProbesTest.PROBED;

    @Test
    void addsANativeSidecarBeforeAllOtherContainers() throws Exception {
        Map<String, @Nullable Object> pod =
                tree("spec: {initContainers: [{name: first, image: a}], containers: [{name: app, image: app}]}");
        Injection injection = inject(pod);
        assertThat(injection.outcome()).isEqualTo(Outcome.INJECTED);
        assertThat(Trees.maps(Trees.map(injection.pod(), "spec"), "initContainers"))
                .extracting(Trees::name)
                .containsExactly("remora", "first");
        assertThat(container(injection, "remora"))
                .containsEntry("restartPolicy", "Always")
                .containsEntry("image", "remora:i386")
                .containsEntry(
                        "args",
                        List.of(
                                "run",
                                "--config",
                                "/etc/remora/remora.yaml",
                                "--health",
                                "0.0.0.0:15020",
                                "--admin",
                                "127.0.0.1:9990"))
                .containsEntry("securityContext", PodParts.securityContext());
        assertThat(pod)
                .as("the given pod")
                .isEqualTo(tree(
                        "spec: {initContainers: [{name: first, image: a}], containers: [{name: app, image: app}]}"));
    }

    @ParameterizedTest
    @CsvSource({"100, 7m, 9Mi, 64Mi", "1000, 66m, 9Mi, 64Mi", "10000, 660m, 9Mi, 64Mi"})
    void asksForTheResourcesOfTheRate(String rps, String cpu, String memory, String limit) throws Exception {
        Map<String, @Nullable Object> sidecar = container(inject(pod("remora.io/rps: \"" + rps + "\"")), "remora");
        assertThat(sidecar.get("resources"))
                .isEqualTo(Trees.of(
                        "requests", Trees.of("cpu", cpu, "memory", memory), "limits", Trees.of("memory", limit)));
        assertThat(Trees.list(sidecar, "env")).contains(Trees.of("name", "REMORA_RPS", "value", rps));
    }

    @Test
    void givesTheSidecarWhatTheAnnotationsName() throws Exception {
        Injection injection = inject(
                pod(
                        "remora.io/config: web-proxy",
                        "remora.io/tls-secret: web-tls",
                        "remora.io/log-level: debug",
                        "remora.io/discovery-token: \"true\"",
                        "remora.io/jvm-options: -Xmx20m -Da=b",
                        "remora.io/profile: rps-100",
                        "remora.io/image: remora:compact3"),
                settings("jvm-options: [-Xmx*, -Da=b]"));
        assertThat(injection.messages()).isEmpty();
        Map<String, @Nullable Object> sidecar = container(injection, "remora");
        assertThat(Trees.list(sidecar, "args")).endsWith("--log-level", "debug");
        assertThat(Trees.list(sidecar, "env"))
                .contains(
                        Trees.of("name", "REMORA_RPS", "value", "100"),
                        Trees.of("name", "REMORA_JAVA_OPTS", "value", "-Xmx20m -Da=b"));
        assertThat(sidecar).containsEntry("image", "remora:compact3");
        assertThat(Trees.maps(sidecar, "volumeMounts"))
                .extracting(mount -> mount.get("mountPath"))
                .containsExactly("/etc/remora", "/etc/remora-tls", "/var/run/secrets/kubernetes.io/serviceaccount");
        List<Map<String, @Nullable Object>> volumes = Trees.maps(Trees.map(injection.pod(), "spec"), "volumes");
        assertThat(volumes.get(0)).containsEntry("configMap", Trees.of("name", "web-proxy"));
        assertThat(volumes.get(1)).containsEntry("secret", Trees.of("secretName", "web-tls"));
        assertThat(Trees.maps(Trees.map(volumes.get(2), "projected"), "sources"))
                .hasSize(3);
    }

    @Test
    void hidesTheTokenOfThePodUnlessItHasNone() throws Exception {
        assertThat(Trees.maps(Trees.map(inject(pod()).pod(), "spec"), "volumes"))
                .as("a volume that neither kubectl drain nor an autoscaler takes for data")
                .containsExactly(tree("{name: remora-token, projected: {sources: [{downwardAPI: {items: "
                        + "[{path: namespace, fieldRef: {fieldPath: metadata.namespace}}]}}]}}"));
        Map<String, @Nullable Object> without =
                tree("spec: {automountServiceAccountToken: false, containers: [{name: app, image: app}]}");
        assertThat(Trees.map(inject(without).pod(), "spec")).doesNotContainKey("volumes");
    }

    @Test
    void hidesTheTokenOfThePodFromTheContainerOfCaptureToo() throws Exception {
        Injection plain = inject(pod("remora.io/capture: cni"));
        assertThat(container(plain, "remora-capture").get("volumeMounts"))
                .isEqualTo(container(plain, "remora").get("volumeMounts"));
        Injection discovers = inject(pod("remora.io/capture: cni", "remora.io/discovery-token: 'true'"));
        assertThat(container(discovers, "remora-capture").get("volumeMounts"))
                .isEqualTo(List.of(tree("{name: remora-no-token, "
                        + "mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true}")));
        assertThat(Trees.maps(Trees.map(discovers.pod(), "spec"), "volumes"))
                .extracting(Trees::name)
                .containsExactly("remora-token", "remora-no-token");
        Map<String, @Nullable Object> without = tree("metadata: {annotations: {remora.io/capture: cni}}\n"
                + "spec: {automountServiceAccountToken: false, containers: [{name: app, image: app}]}");
        assertThat(container(inject(without), "remora-capture")).doesNotContainKey("volumeMounts");
    }

    @Test
    void givesTheSidecarProbesThatOutliveAShortPause() throws Exception {
        Map<String, @Nullable Object> sidecar = container(inject(pod()), "remora");
        assertThat(Trees.map(sidecar, "readinessProbe"))
                .containsEntry("failureThreshold", 3L)
                .containsEntry("timeoutSeconds", 3L);
        assertThat(Trees.map(sidecar, "livenessProbe"))
                .containsEntry("failureThreshold", 3L)
                .containsEntry("timeoutSeconds", 5L);
        assertThat(Trees.map(sidecar, "startupProbe")).containsEntry("timeoutSeconds", 3L);
    }

    @Test
    void addsASleepToContainersWithoutAPreStopHook() throws Exception {
        Injection injection = inject(tree(PROBED.replace("name: web", "annotations: {remora.io/drain-sleep: 5s}")));
        assertThat(container(injection, "other").get("lifecycle")).isEqualTo(tree("{preStop: {sleep: {seconds: 5}}}"));
        assertThat(Trees.map(container(injection, "app"), "lifecycle").get("preStop"))
                .isEqualTo(tree("{exec: {command: [a]}}"));
    }

    @Test
    void setsTheRulesOfCaptureBeforeTheSidecarStarts() throws Exception {
        Injection injection = inject(pod(
                "remora.io/capture: init",
                "remora.io/inbound-ports: \"8080, 8081\"",
                "remora.io/skip-inbound-ports: \"9000\"",
                "remora.io/skip-outbound-ports: \"5432,6379\"",
                "remora.io/skip-outbound-addresses: 10.0.0.0/8,fd00::/8,192.0.2.1"));
        assertThat(injection.messages()).singleElement().asString().contains("NET_ADMIN", "privileged", "cni");
        assertThat(Trees.maps(Trees.map(injection.pod(), "spec"), "initContainers"))
                .extracting(Trees::name)
                .containsExactly("remora-capture", "remora");
        assertThat(String.join(" ", texts(Trees.list(container(injection, "remora-capture"), "args"))))
                .isEqualTo(
                        "up --uid 65532 --inbound 15006 --outbound 15001 --inbound-ports 8080,8081 --skip-inbound 9000"
                                + " --skip-outbound 5432,6379 --skip-outbound-addresses 10.0.0.0/8,fd00::/8,192.0.2.1");
        assertThat(Trees.list(container(injection, "remora"), "args")).contains("/etc/remora/capture.yaml");
    }

    @Test
    void checksTheRulesOfThePluginWithoutAnyRight() throws Exception {
        Injection injection = inject(
                pod("remora.io/skip-outbound-ports: '5432'", "remora.io/skip-outbound-addresses: 10.0.0.0/8"),
                settings("capture: {mode: cni, image: capture:2}"));
        assertThat(injection.messages()).isEmpty();
        Map<String, @Nullable Object> check = container(injection, "remora-capture");
        Map<String, @Nullable Object> security = PodParts.securityContext();
        // the rules leave the sidecar's user alone
        security.put("runAsUser", 65_533L);
        security.put("runAsGroup", 65_533L);
        assertThat(check).containsEntry("image", "capture:2").containsEntry("securityContext", security);
        assertThat(String.join(" ", texts(Trees.list(check, "args"))))
                .isEqualTo("verify --outbound 15001 --inbound 15006 --skip-outbound 5432"
                        + " --skip-outbound-addresses 10.0.0.0/8");
        assertThat(Trees.map(Trees.map(injection.pod(), "metadata"), "annotations"))
                .as("what the plugin reads")
                .containsEntry("remora.io/capture", "cni");
    }

    @Test
    void keepsThePodOnNodesThatTheImageIsFor() throws Exception {
        String term = "{matchExpressions: [{key: disk, operator: Exists}]}";
        Map<String, @Nullable Object> pod =
                tree("spec: {containers: [{name: app, image: app}], affinity: {nodeAffinity: "
                        + "{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [" + term
                        + ", {}]}}}}");
        Map<String, @Nullable Object> node =
                Trees.map(Trees.map(Trees.map(inject(pod).pod(), "spec"), "affinity"), "nodeAffinity");
        assertThat(node)
                .isEqualTo(tree("{requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                        + "[{matchExpressions: [{key: disk, operator: Exists}, "
                        + "{key: kubernetes.io/arch, operator: In, values: [amd64]}]}, "
                        + "{}]}}"));
        assertThat(Trees.map(Trees.map(inject(pod()).pod(), "spec"), "affinity"))
                .isEqualTo(tree("{nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
                        + "[{matchExpressions: [{key: kubernetes.io/arch, operator: In, values: [amd64]}]}]}}}"));
        Map<String, @Nullable Object> arm =
                tree("spec: {nodeSelector: {kubernetes.io/arch: arm64}, containers: [{name: app, image: app}]}");
        assertThat(inject(arm).messages()).singleElement().asString().contains("arm64", "amd64");
        assertThat(inject(arm, settings("images: [{name: a, runtime: amd64-c1}]"))
                        .outcome())
                .isEqualTo(Outcome.INJECTED);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "remora.io/fly: x|remora.io/fly|remora.io/rps",
                "remora.io/inject: maybe|remora.io/inject|true or false",
                "remora.io/rps: fast|remora.io/rps|whole number from 1",
                "remora.io/rps: 5|remora.io/rps|in quotes",
                "remora.io/rps: '40000'|remora.io/rps|amd64-tiered has a profile for 40000",
                "remora.io/profile: rps-1|remora.io/profile|rps-100, rps-1000, rps-10000",
                "remora.io/image: evil:1|remora.io/image|remora:i386, remora:compact3",
                "remora.io/engine: finagle|remora.io/engine|netty",
                "remora.io/config: other/config|remora.io/config|another namespace",
                "remora.io/config: Upper|remora.io/config|the name of a ConfigMap",
                "remora.io/tls-secret: a_b|remora.io/tls-secret|the name of a Secret",
                "remora.io/log-level: loud|remora.io/log-level|debug, info, warn, error",
                "remora.io/capture: always|remora.io/capture|off, init or cni",
                "remora.io/inbound-ports: '80'|remora.io/inbound-ports|remora.io/capture: init",
                "remora.io/drain-sleep: 30s|remora.io/drain-sleep|terminationGracePeriodSeconds, which is 30",
                "remora.io/drain-sleep: soon|remora.io/drain-sleep|5s",
                "remora.io/jvm-options: -Xmx1g|remora.io/jvm-options|none",
                "remora.io/discovery-token: 'yes'|remora.io/discovery-token|true or false",
                "remora.io/probes: keep|remora.io/probes|rewrite or off",
            })
    void refusesAnAnnotationWithItsNameAndTheAllowedValues(String annotation, String name, String allowed)
            throws Exception {
        Map<String, @Nullable Object> pod = pod(annotation);
        Injection injection = inject(pod);
        assertThat(injection.outcome()).isEqualTo(Outcome.REFUSED);
        assertThat(injection.messages()).singleElement().asString().contains(name, allowed);
        assertThat(injection.pod()).isSameAs(pod);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "remora.io/skip-inbound-ports|'80,'",
                "remora.io/skip-inbound-ports|'0'",
                "remora.io/inbound-ports|'65536'",
                "remora.io/skip-outbound-ports|'a'",
                "remora.io/skip-outbound-addresses|'10.0.0.0/33'",
                "remora.io/skip-outbound-addresses|'fd00::/129'",
                "remora.io/skip-outbound-addresses|'example.test'",
                "remora.io/skip-outbound-addresses|'10.0.0.5/8'",
                "remora.io/skip-outbound-addresses|'10.128.0.0/8'",
                "remora.io/skip-outbound-addresses|'fd00::1/8'",
                "remora.io/skip-outbound-addresses|'0.0.0.0/0'",
                "remora.io/skip-outbound-addresses|'::/0'",
                "remora.io/skip-outbound-addresses|'10.0.0.0/08'",
                "remora.io/skip-outbound-addresses|'10.0.0.0/'",
            })
    void refusesAnImpossiblePortOrAddress(String name, String value) throws Exception {
        Injection injection = inject(pod("remora.io/capture: init", name + ": '" + value + "'"));
        assertThat(injection.messages()).singleElement().asString().contains(name, value);
    }

    @Test
    void takesAsManyNetworksAsTheProgramOfCapture() throws Exception {
        String most = "10.0.0.128/25,::/1,192.0.2.1/32,fd00::1/128" + ",10.0.0.1".repeat(60);
        assertThat(inject(pod("remora.io/capture: init", "remora.io/skip-outbound-addresses: '" + most + "'"))
                        .outcome())
                .isEqualTo(Outcome.INJECTED);
        assertThat(inject(pod("remora.io/capture: init", "remora.io/skip-outbound-addresses: '" + most + ",::1'"))
                        .messages())
                .singleElement()
                .asString()
                .contains("at most 64");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hostNetwork: true|hostNetwork",
                "securityContext: {runAsUser: 65532}|65532",
                "os: {name: windows}|windows",
                "volumes: [{name: remora-tls}]|remora-tls",
                "initContainers: [{name: remora, image: mine}]|no injection has added it",
                "initContainers: [{name: b, image: b, ports: [{containerPort: 15020}]}]|15020",
            })
    void refusesAPodThatCannotHaveIt(String spec, String reason) throws Exception {
        Map<String, @Nullable Object> pod = tree("metadata: {annotations: {remora.io/capture: init}}\nspec:\n"
                + "  containers: [{name: app, image: app}]\n  " + spec + "\n");
        assertThat(inject(pod).messages()).singleElement().asString().contains(reason);
    }

    @Test
    void refusesAHostNetworkWithoutCapture() throws Exception {
        assertThat(inject(tree("spec: {hostNetwork: true, containers: [{name: app, image: app}]}"))
                        .messages())
                .singleElement()
                .asString()
                .contains("hostNetwork", "remora.io/inject: \"false\"");
    }

    /** The configuration in the image has a listener there. */
    @Test
    void refusesAnApplicationOnThePortOfTheSidecar() throws Exception {
        String pod = "metadata: {annotations: {%s}}\nspec:\n  containers: [{name: app, image: app, ports: [%s]}]\n";
        String port = "{containerPort: 8080}";
        assertThat(inject(tree(pod.formatted("", port))).messages())
                .singleElement()
                .asString()
                .contains("'app'", "8080", "remora.io/config", "remora.io/capture: init or cni", "8081");
        assertThat(inject(tree(pod.formatted("", "{containerPort: 8080, protocol: TCP}")))
                        .outcome())
                .isEqualTo(Outcome.REFUSED);
        for (String annotation :
                List.of("remora.io/config: mine", "remora.io/capture: init", "remora.io/capture: cni")) {
            assertThat(inject(tree(pod.formatted(annotation, port))).outcome())
                    .as(annotation)
                    .isEqualTo(Outcome.INJECTED);
        }
        for (String other : List.of("{containerPort: 8081}", "{containerPort: 8080, protocol: UDP}")) {
            assertThat(inject(tree(pod.formatted("", other))).outcome())
                    .as(other)
                    .isEqualTo(Outcome.INJECTED);
        }
    }

    @Test
    void namesAPodWithoutAName() throws Exception {
        assertThat(PodInjector.nameOf(tree("metadata: {generateName: web-}"))).isEqualTo("web-*");
        assertThat(PodInjector.nameOf(tree("metadata: {}"))).isEqualTo("*");
        assertThat(PodInjector.nameOf(tree("metadata: {name: web}"))).isEqualTo("web");
    }

    @Test
    void injectsOnlyWhereItIsAskedTo() throws Exception {
        PodInjector injector = new PodInjector(InjectorSettings.defaults(), Injected.TABLE);
        Map<String, @Nullable Object> plain = pod();
        assertThat(injector.inject(plain, "shop", false).outcome()).isEqualTo(Outcome.SKIPPED);
        assertThat(injector.inject(plain, "kube-system", true).outcome()).isEqualTo(Outcome.SKIPPED);
        assertThat(injector.inject(pod("remora.io/inject: 'false'"), "shop", true)
                        .outcome())
                .isEqualTo(Outcome.SKIPPED);
        assertThat(injector.inject(pod("remora.io/inject: 'true'"), "shop", false)
                        .outcome())
                .isEqualTo(Outcome.INJECTED);
    }

    @Test
    void givesTheSamePodAgainUntilAnAnnotationChanges() throws Exception {
        Injection first = inject(pod("remora.io/capture: init", "remora.io/config: a"));
        Injection second = inject(first.pod());
        assertThat(second.outcome()).isEqualTo(Outcome.UNCHANGED);
        assertThat(second.pod()).isSameAs(first.pod());
        Map<String, @Nullable Object> changed = Trees.map(Trees.copy(first.pod()));
        Trees.map(Trees.map(changed, "metadata"), "annotations").remove("remora.io/capture");
        Trees.map(Trees.map(changed, "metadata"), "annotations").put("remora.io/rps", "100");
        Injection third = inject(changed);
        assertThat(third.outcome()).isEqualTo(Outcome.INJECTED);
        assertThat(third.pod())
                .isEqualTo(inject(pod("remora.io/config: a", "remora.io/rps: '100'"))
                        .pod());
    }

    /** An API server and other webhooks change a pod between two calls. */
    @Test
    void leavesDefaultsAndAdditionsOfOthersAlone() throws Exception {
        Map<String, @Nullable Object> pod = Trees.map(Trees.copy(inject(pod()).pod()));
        Map<String, @Nullable Object> sidecar =
                Trees.maps(Trees.map(pod, "spec"), "initContainers").get(0);
        sidecar.put("imagePullPolicy", "Always");
        Trees.list(sidecar, "env").add(Trees.of("name", "OTHER", "value", "1"));
        assertThat(inject(pod).outcome()).isEqualTo(Outcome.UNCHANGED);
    }

    @Test
    void takesTheSidecarOutOfAPodThatOptsOut() throws Exception {
        Map<String, @Nullable Object> pod =
                Trees.map(Trees.copy(inject(pod("remora.io/rps: '100'")).pod()));
        Trees.map(Trees.map(pod, "metadata"), "annotations").put("remora.io/inject", "false");
        assertThat(inject(pod).pod()).isEqualTo(pod("remora.io/rps: '100'", "remora.io/inject: 'false'"));
    }

    @Test
    void refusesARecordThatNoInjectionWrote() throws Exception {
        for (String record : List.of("'{'", "'[]'", "'nothing'")) {
            assertThat(inject(pod("remora.io/status: " + record)).messages())
                    .singleElement()
                    .asString()
                    .contains("remora.io/status");
        }
    }

    /** It may have added parts that this version does not know. */
    @Test
    void refusesARecordOfALaterVersion() throws Exception {
        for (String version : List.of("\"2\"", "2", "null", "{}")) {
            Map<String, @Nullable Object> pod = pod("remora.io/status: '{\"version\":" + version + "}'");
            PodInjector injector = new PodInjector(InjectorSettings.defaults(), Injected.TABLE);
            for (Injection injection : List.of(inject(pod), injector.undo(pod))) {
                assertThat(injection.outcome()).isEqualTo(Outcome.REFUSED);
                assertThat(injection.messages()).singleElement().asString().contains("remora.io/status", "version 1");
            }
        }
        assertThat(inject(pod("remora.io/status: '{}'")).outcome()).isEqualTo(Outcome.INJECTED);
    }

    private static List<String> texts(List<@Nullable Object> list) {
        return list.stream().map(String::valueOf).toList();
    }
}
