package io.remora.naming;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import io.remora.testkit.StandardError;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests to a cluster whose name is answered in part, or by one of two servers, and what operators see of that. */
final class PartialSourceIT {
    private static final String GET = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";

    @RegisterExtension
    final StandardError standardError = new StandardError();

    /** The address of the backend for a name, from these servers. */
    private static Sidecar sidecar(RecordingBackend backend, String family, ScriptedServer... servers) {
        StringBuilder asked = new StringBuilder();
        for (ScriptedServer server : servers) {
            asked.append(asked.isEmpty() ? "" : ", ")
                    .append("\"127.0.0.1:")
                    .append(server.address().getPort())
                    .append('"');
        }
        return Sidecar.of("""
                admin: {address: "127.0.0.1:0"}
                listeners:
                  - {name: test, address: "127.0.0.1:0", cluster: app}
                  - {name: barrier, address: "127.0.0.1:0", cluster: barrier}
                clusters:
                  barrier: {endpoints: ["127.0.0.1:${BARRIER}"]}
                  app:
                    resolver:
                      dns: {name: app.test., port: "${BACKEND}", family: FAMILY, servers: [SERVERS], min-refresh: 50ms}
                """.replace("FAMILY", family).replace("SERVERS", asked), backend);
    }

    private static int ask(Sidecar sidecar) throws IOException {
        try (RawClient client = sidecar.client()) {
            return client.send(GET).response().status();
        }
    }

    private boolean isLogged(String line) {
        return standardError.lines().anyMatch(each -> each.matches(line));
    }

    @Test
    void oneFamilyServesAndTheOtherIsTold() throws IOException {
        try (ScriptedServer server = new ScriptedServer()
                        .address("app.test", 60, "127.0.0.1")
                        .failingOn("28 app.test")
                        .start();
                RecordingBackend backend = RecordingBackend.start().replyOk();
                Sidecar sidecar = sidecar(backend, "both", server)) {
            assertThat(ask(sidecar)).isEqualTo(200);
            String told = "AAAA of app.test, asked of 127.0.0.1 port "
                    + server.address().getPort() + ": SERVFAIL";
            Await.until("told", () -> clusters(sidecar)
                    .matches("(?s).* state=bound age=\\d+ known=1 pending=0 problem=\"" + told + "\"\n.*"));
            Await.until(
                    "logged",
                    () -> isLogged(".* WARN cluster app: partial answer from dns:app.test.:" + backend.port() + ": "
                            + told + "; using 1 endpoint"));
            server.succeedingOn("28 app.test");
            Await.until("whole", () -> !clusters(sidecar).contains("problem="));
            Await.until(
                    "logged too", () -> isLogged(".* INFO cluster app: whole answer from dns:app.test.:\\d+ again"));
            assertThat(ask(sidecar)).isEqualTo(200);
        }
    }

    private static String clusters(Sidecar sidecar) {
        return sidecar.admin("GET", "/clusters").bodyText();
    }

    /** By default a request waits for the first answer as long as many a {@code resolv.conf} has one server waited for. */
    @ParameterizedTest
    @ValueSource(strings = {"auto", "both"})
    void aRequestIsServedAlthoughTheFirstServerIsSilent(String family) throws IOException {
        try (ScriptedServer silent = new ScriptedServer().silentOn("app.test").start();
                ScriptedServer server = new ScriptedServer()
                        .address("app.test", 60, "127.0.0.1")
                        .start();
                RecordingBackend backend = RecordingBackend.start().replyOk();
                Sidecar sidecar = sidecar(backend, family, silent, server)) {
            assertThat(ask(sidecar)).isEqualTo(200);
            assertThat(silent.asked()).contains("1 app.test");
        }
    }
}
