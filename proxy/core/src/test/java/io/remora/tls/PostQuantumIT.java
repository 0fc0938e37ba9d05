package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.remora.testkit.Certificates;
import io.remora.testkit.Command;
import io.remora.testkit.GoPeer;
import io.remora.testkit.PeerCall;
import io.remora.testkit.PeerProgram;
import io.remora.testkit.PeerServer;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Sidecar;
import io.remora.tls.openssl.OpenSslProvider;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Go as a client and as a server that only supports X25519MLKEM768. A provider with this group agrees with it, and any other one does
 * not.
 */
final class PostQuantumIT {
    /** X25519MLKEM768 among IANA's TLS Supported Groups. */
    private static final int HYBRID = 0x11ec;

    private static final String VERSION = "1.3";

    @RegisterExtension
    static final Certificates TLS = new Certificates();

    private static boolean isSupported() {
        TlsProvider provider = OpenSslProvider.load();
        return provider != null && provider.name().startsWith("aws-lc ");
    }

    private static PeerServer server() {
        return GoPeer.serve(TLS.directory(), VERSION, "server", false, HYBRID);
    }

    private static Command get(int port, int group) {
        return GoPeer.get(TLS.directory(), new PeerCall(port, VERSION, "localhost", "localhost", ""), group);
    }

    /** Skips the tests without Go. Before 1.24, Go lacks the group. */
    @BeforeEach
    void goAgreesWithItself() {
        assumeThat(PeerProgram.GO.missing()).isEmpty();
        assumeThat(GoPeer.minorVersion(TLS.directory())).isGreaterThanOrEqualTo(24);
        try (PeerServer server = server()) {
            assertThat(get(server.port(), HYBRID).good()).contains("200");
        }
    }

    @Test
    void aListenerAgreesWithGo() throws IOException {
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                Sidecar sidecar = TLS.listening(backend, "", "server")) {
            Command said = get(sidecar.address().getPort(), HYBRID);
            if (isSupported()) {
                assertThat(said.good()).contains("200", "ok");
            } else {
                assertThat(said.status()).isNotZero();
                // the alert is the library's choice
                assertThat(said.output()).startsWith("remote error: tls: ");
            }
        }
    }

    @Test
    void aClusterAgreesWithGo() throws IOException {
        try (PeerServer server = server();
                Sidecar sidecar = TLS.before(server.port(), TLS.pki().trust("ca") + ", server-name: localhost");
                RawClient client = sidecar.client()) {
            client.send("GET / HTTP/1.1\r\nHost: app\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(isSupported() ? 200 : 502);
        }
    }
}
