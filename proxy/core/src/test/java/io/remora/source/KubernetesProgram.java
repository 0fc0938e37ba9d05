package io.remora.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.seams.SeamStand;
import io.remora.serving.Seams;
import io.remora.testkit.Await;
import io.remora.testkit.Counterpart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Endpoints from an API server over etcd. Not among the tests of each build: {@code scripts/test-sources} runs it. */
final class KubernetesProgram {
    private static final String SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices";

    @TempDir
    Path directory;

    private Counterpart etcd;
    private Counterpart server;
    private Path token;

    @BeforeEach
    void start() throws IOException {
        etcd = Counterpart.etcd(directory);
        server = Counterpart.apiServer(directory, etcd);
        token = Files.writeString(directory.resolve("token"), Counterpart.TOKEN);
    }

    @AfterEach
    void close() {
        server.close();
        etcd.close();
    }

    // loopback addresses are refused in a slice
    private static String slice(String name, int port, String conditions, String... addresses) {
        StringBuilder endpoints = new StringBuilder();
        for (String address : addresses) {
            endpoints
                    .append(endpoints.isEmpty() ? "" : ",")
                    .append("{\"addresses\":[\"" + address + "\"],\"zone\":\"eu-1\",\"conditions\":{" + conditions
                            + "}}");
        }
        return """
                {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
                 "metadata": {"name": "%s", "labels": {"kubernetes.io/service-name": "web"}},
                 "endpoints": [%s], "ports": [{"name": "http", "protocol": "TCP", "port": %d}]}
                """.formatted(name, endpoints, port);
    }

    private void create(String slice) {
        assertThat(server.askKubernetes("POST", SLICES, slice)).contains("\"resourceVersion\"");
    }

    private void replace(String name, String slice) {
        assertThat(server.askKubernetes("PUT", SLICES + "/" + name, slice)).contains("\"resourceVersion\"");
    }

    private SeamStand stand(String keys) {
        return SeamStand.start(new Seams(), SeamStand.config("""
                listeners:
                  - {name: test, address: "127.0.0.1:0", cluster: app}
                clusters:
                  app:
                    resolver:
                      kubernetes:
                        {address: "127.0.0.1:PORT", service: web, namespace: default, port: http, token-file: "TOKEN",
                         tls: {trust: "CA", server-name: kubernetes.default.svc} KEYS}
                """.replace("PORT", "" + server.port())
                .replace("TOKEN", token.toString())
                .replace("CA", directory.resolve("certs/apiserver.crt").toString())
                .replace("KEYS", keys)));
    }

    private static void awaitPage(SeamStand stand, String what) {
        if (!Await.within(30_000, () -> stand.page("/clusters").contains(what))) {
            throw new AssertionError("no " + what + " in " + stand.page("/clusters"));
        }
    }

    private static void awaitPageWithout(SeamStand stand, String what) {
        Await.until("no " + what, () -> !stand.page("/clusters").contains(what));
    }

    @Test
    void followsTheSlices() {
        create(slice("a", 8080, "\"ready\":true", "10.7.0.1"));
        try (SeamStand stand = stand("")) {
            awaitPage(stand, "\n  10.7.0.1:8080 ");
            assertThat(stand.page("/clusters")).contains(" zone=eu-1 ");
            create(slice("b", 8081, "\"ready\":true", "10.7.0.2", "10.7.0.3"));
            awaitPage(stand, "\n  10.7.0.3:8081 ");
            replace("b", slice("b", 8081, "\"ready\":true", "10.7.0.2"));
            awaitPageWithout(stand, "\n  10.7.0.3:8081 ");
            String leaving = "\"ready\":false,\"serving\":true,\"terminating\":true";
            replace("b", slice("b", 8081, leaving, "10.7.0.2"));
            awaitPageWithout(stand, "\n  10.7.0.2:8081 ");
            // the last ones are used until they are gone
            replace("a", slice("a", 8080, leaving, "10.7.0.1"));
            awaitPage(stand, "\n  10.7.0.2:8081 ");
            server.askKubernetes("DELETE", SLICES + "/b", "");
            awaitPageWithout(stand, "\n  10.7.0.2:8081 ");
            server.askKubernetes("DELETE", SLICES + "/a", "");
            awaitPage(stand, " state=empty ");
            assertThat(stand.metric("remora_resolver_answers_total", "failed")).isZero();
        }
    }

    @Test
    void watchesAgainWhenTheTimeIsUp() {
        create(slice("a", 8080, "\"ready\":true", "10.7.0.1"));
        try (SeamStand stand = stand(", watch-timeout: 1s")) {
            awaitPage(stand, "\n  10.7.0.1:8080 ");
            Await.until("several watches", () -> stand.metric("remora_resolver_answers_total", "bound") >= 5);
            create(slice("b", 8080, "\"ready\":true", "10.7.0.9"));
            awaitPage(stand, "\n  10.7.0.9:8080 ");
            assertThat(stand.metric("remora_resolver_answers_total", "failed")).isZero();
        }
    }

    @Test
    void keepsTheLastAnswerWhileTheServerIsGone() {
        create(slice("a", 8080, "\"ready\":true", "10.7.0.1"));
        try (SeamStand stand = stand("")) {
            awaitPage(stand, "\n  10.7.0.1:8080 ");
            server.stop();
            awaitPage(stand, " state=failed ");
            assertThat(stand.page("/clusters")).contains("\n  10.7.0.1:8080 ");
            server.startKubernetes();
            awaitPage(stand, " state=bound ");
            create(slice("b", 8080, "\"ready\":true", "10.7.0.2"));
            awaitPage(stand, "\n  10.7.0.2:8080 ");
        }
    }

    @Test
    void readsItsTokenAnew() throws IOException {
        create(slice("a", 8080, "\"ready\":true", "10.7.0.1"));
        Files.writeString(token, "wrong");
        try (SeamStand stand = stand("")) {
            awaitPage(stand, "status 401: ");
            Files.writeString(token, Counterpart.TOKEN);
            awaitPage(stand, "\n  10.7.0.1:8080 ");
        }
    }
}
