package io.remora.http1;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.Count;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import io.remora.testkit.StrictHttp;
import io.remora.testkit.Tunnels;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which connections become tunnels, how long these last, and what a drain makes of them. */
@Contract
final class TunnelLifeIT {
    @RegisterExtension
    final Stand stand = new Stand();

    @Test
    void isClosedWhenIdleForLong() throws IOException {
        stand.start("timeouts: { idle: 400ms }", "timeouts: { response-header: 500ms, idle: 100ms }");
        stand.backend.onRequest(Tunnels::echo);
        RawClient client = Tunnels.open(stand);
        for (int i = 0; i < 6; i++) {
            Stand.pause(100);
            assertThat(client.send("x").read(1)).containsExactly('x');
        }
        assertThat(client.closedByPeer()).isTrue();
        Tunnels.awaitClosed(stand);
    }

    @Test
    void goesOnWhileDraining() throws Exception {
        stand.backend.onRequest(Tunnels::echo);
        RawClient client = Tunnels.open(stand);
        Tunnels.goesOnWhileDraining(stand, client);
    }

    @Test
    void isCutWhenADrainTakesTooLong() throws Exception {
        stand.start(Setup.before(stand.backend).process("drain-timeout: 100ms"));
        stand.backend.onRequest(Tunnels::echo);
        RawClient client = Tunnels.open(stand);
        stand.sidecar().drain();
        assertThat(client.closedByPeer()).isTrue();
        Tunnels.awaitClosed(stand);
        stand.countedOnce(Failure.CUT);
        assertThat(stand.sidecar().count(Count.EXCHANGES_CUT)).isOne();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk",
                "Connection: Upgrade\r\nUpgrade: TLS/1.0",
                "Connection: Upgrade\r\nUpgrade: websocket, h2c"
            })
    void isNotOpenedForOtherProtocols(String lines) throws IOException {
        RawClient client = stand.client();
        client.send("GET / HTTP/1.1\r\nHost: app\r\n" + lines + "\r\n\r\n" + GET);
        assertThat(client.response().bodyText()).isEqualTo("ok");
        assertThat(client.response().bodyText()).isEqualTo("ok");
        assertThat(stand.backend.requests().get(0).fields().has("Upgrade")).isFalse();
        assertThat(stand.backend.requests().get(0).fields().has("HTTP2-Settings"))
                .isFalse();
        stand.nothingFailed();
    }

    @ParameterizedTest
    @ValueSource(strings = {"200 OK", "400 Bad Request", "426 Upgrade Required"})
    void isDeclinedAndHttpGoesOn(String status) throws IOException {
        stand.backend.onRequest(connection -> {
            boolean asked = connection.readRequest().fields().has("Upgrade");
            connection.write("HTTP/1.1 " + (asked ? status : "200 OK") + "\r\nContent-Length: 2\r\n\r\nno");
        });
        RawClient client = stand.client();
        for (int i = 0; i < 2; i++) {
            assertThat(client.send(Tunnels.ASK).response().status())
                    .isEqualTo(Integer.parseInt(status.substring(0, 3)));
            assertThat(client.send(GET).response().bodyText()).isEqualTo("no");
        }
        assertThat(stand.backend.connections()).hasSize(1);
        stand.nothingFailed();
    }

    @Test
    void isNotKeptInThePool() throws IOException {
        stand.backend.onRequest(Tunnels::echo);
        Tunnels.open(stand).shutdownOutput();
        Tunnels.awaitClosed(stand);
        stand.backend.replyOk();
        assertThat(stand.get().bodyText()).isEqualTo("ok");
        assertThat(stand.backend.connections()).hasSize(2);
        assertThat(stand.backend.problems()).noneMatch(problem -> problem instanceof StrictHttp.Violation);
    }
}
