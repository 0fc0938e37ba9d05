package io.remora.inject;

import static io.remora.inject.Injected.container;
import static io.remora.inject.Injected.inject;
import static io.remora.inject.Injected.tree;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Probes of the application: which ones the injection sends through the sidecar, and what it records of them. */
final class RewrittenProbesTest {
    static final String PROBED = """
        metadata: {name: web}
        spec:
          containers:
          - name: app
            image: app
            ports: [{containerPort: 8081, name: http}]
            startupProbe: {grpc: {port: 9000, service: ""}}
            readinessProbe:
              httpGet: {port: http, path: /x, scheme: HTTP, httpHeaders: [{name: A, value: "1$(B)"}]}
              timeoutSeconds: 1
            livenessProbe: {tcpSocket: {port: 8081}, periodSeconds: 7}
            lifecycle: {postStart: {httpGet: {port: 8081, path: /s}}, preStop: {exec: {command: [a]}}}
          - name: other
            image: other
            livenessProbe: {exec: {command: [a]}}
            readinessProbe: {httpGet: {port: 80, host: a.test}}
        """;

    private static final String REWRITTEN = PROBED.replace("name: web", "annotations: {remora.io/probes: rewrite}");

    @Test
    void sendsProbesThroughTheSidecar() throws Exception {
        Injection injection = inject(tree(REWRITTEN));
        Map<String, @Nullable Object> app = container(injection, "app");
        assertThat(app.get("readinessProbe"))
                .isEqualTo(tree("{httpGet: {path: /app-health/app/readiness, port: 15020}, timeoutSeconds: 1}"));
        assertThat(app.get("livenessProbe"))
                .isEqualTo(tree("{httpGet: {path: /app-health/app/liveness, port: 15020}, periodSeconds: 7}"));
        assertThat(app.get("startupProbe")).isEqualTo(tree("{httpGet: {path: /app-health/app/startup, port: 15020}}"));
        assertThat(app.get("lifecycle"))
                .as("hooks, which nobody else may run")
                .isEqualTo(tree("{postStart: {httpGet: {port: 8081, path: /s}}, preStop: {exec: {command: [a]}}}"));
        assertThat(container(injection, "other"))
                .as("probes that the sidecar cannot run, or of another host")
                .isEqualTo(Trees.maps(Trees.map(tree(PROBED), "spec"), "containers")
                        .get(1));
        assertThat(Trees.list(container(injection, "remora"), "args"))
                .containsSequence(
                        "--app-probes",
                        "{\"app\":{\"startup\":{\"grpc\":{\"port\":9000,\"service\":\"\"}},"
                                + "\"readiness\":{\"httpGet\":{\"port\":8081,\"path\":\"/x\",\"scheme\":\"HTTP\","
                                + "\"httpHeaders\":[{\"name\":\"A\",\"value\":\"1$$(B)\"}]},\"timeoutSeconds\":1},"
                                + "\"liveness\":{\"tcpSocket\":{\"port\":8081}}}}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "remora.io/rps: '100'|false",
                "remora.io/capture: init|true",
                "remora.io/tls-secret: a|true",
                "remora.io/probes: rewrite|true",
                "remora.io/capture: init, remora.io/probes: 'off'|false",
            })
    void leavesProbesThatReachTheApplicationAnyway(String annotations, boolean rewrites) throws Exception {
        String given = PROBED.replace("name: web", "annotations: {" + annotations + "}");
        Injection injection = inject(tree(given));
        assertThat(Trees.list(container(injection, "remora"), "args").contains("--app-probes"))
                .isEqualTo(rewrites);
        assertThat(container(injection, "app")
                        .equals(Trees.maps(Trees.map(tree(given), "spec"), "containers")
                                .get(0)))
                .isEqualTo(!rewrites);
    }

    @Test
    void refusesProbesThatTheSidecarWouldRefuse() throws Exception {
        assertThat(inject(tree(REWRITTEN.replace("1$(B)", "é"))).messages())
                .singleElement()
                .asString()
                .contains("--app-probes: app.readiness", "httpHeaders", "remora.io/probes");
    }

    @Test
    void namesAProbeWhosePortIsUnknown() throws Exception {
        assertThat(inject(tree("spec: {containers: [{name: app, image: app, livenessProbe: {tcpSocket: {port: x}}}]}\n"
                                + "metadata: {annotations: {remora.io/probes: rewrite}}"))
                        .messages())
                .singleElement()
                .asString()
                .contains("'app'", "livenessProbe", "'x'", "remora.io/probes");
    }
}
