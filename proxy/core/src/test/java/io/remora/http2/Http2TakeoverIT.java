package io.remora.http2;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Certificates;
import io.remora.testkit.Command;
import io.remora.testkit.FreePort;
import io.remora.testkit.SidecarProcess;
import io.remora.testkit.Sidecars;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** One process takes over from another while connections of HTTP/2 are open, plain and over TLS. */
final class Http2TakeoverIT {
    @RegisterExtension
    static final Certificates TLS = new Certificates();

    @TempDir
    Path directory;

    private String curl(int port) {
        return Command.run(
                        directory,
                        "curl",
                        "--silent",
                        "--show-error",
                        "--http2",
                        "--cacert",
                        TLS.pki().path("ca.crt").toString(),
                        "--resolve",
                        "localhost:" + port + ":127.0.0.1",
                        "--write-out",
                        " %{http_version} %{http_code}",
                        "https://localhost:" + port + "/")
                .output();
    }

    /** A stream that is open is answered, further ones are until the client is told, and then the connection ends in order. */
    @Test
    void endsByGoAwayInOrder() throws IOException {
        int port = FreePort.next();
        try (Sidecars sidecars = new Sidecars(directory)) {
            String tls =
                    "  - name: tls\n    address: \"127.0.0.1:" + port + "\"\n    cluster: app\n    protocol: auto\n    "
                            + TLS.pki().listener("", "server") + "\nclusters:\n";
            String yaml = sidecars.yaml("")
                    .replace("name: test,", "name: test, protocol: auto,")
                    .replace("clusters:\n", tls);
            SidecarProcess running = sidecars.start(yaml).awaitReady();
            assertThat(curl(port)).isEqualTo("ok 2 200");
            try (FrameClient client = FrameClient.connect(sidecars.address())) {
                client.headers(1, false, FrameClient.POST);
                assertThat(client.get(3).answer(3).text()).isEqualTo("ok");
                SidecarProcess next = sidecars.start(yaml, "--takeover").awaitReady();
                next.awaitLog("the former process is draining");
                assertThat(client.get(5).answer(5).text()).isEqualTo("ok");
                client.data(1, true, "body");
                assertThat(client.answer(1).text()).isEqualTo("ok");
                assertThat(client.goAway()).isEqualTo(FrameClient.NO_ERROR);
                client.readToEnd();
            }
            assertThat(running.status()).as(running.log()).isZero();
            assertThat(running.log()).doesNotContain("WARN takeover").doesNotContain("ERROR");
            assertThat(curl(port)).isEqualTo("ok 2 200");
            try (FrameClient client = FrameClient.connect(sidecars.address())) {
                assertThat(client.get(1).answer(1).text()).isEqualTo("ok");
            }
        }
    }
}
