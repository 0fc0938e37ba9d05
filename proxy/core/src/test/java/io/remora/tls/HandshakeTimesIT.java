package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.remora.testkit.Command;
import io.remora.testkit.OpensslServer;
import io.remora.testkit.Pki;
import io.remora.testkit.RawClient;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.tls.openssl.OpenSslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The time that handshakes take, full ones and resumed ones. */
final class HandshakeTimesIT {
    private static final String METRIC = "remora_tls_handshake_seconds";

    @TempDir
    static Path directory;

    private static Pki pki;

    @BeforeAll
    static void certificates() {
        pki = new Pki(directory).authority("ca").issue("ca", "server", "DNS:localhost");
    }

    private static long count(Sidecar sidecar, String side, String resumed) {
        return sidecar.metrics().sum(METRIC + "_count", "side", side, "resumed", resumed);
    }

    private static long within(Sidecar sidecar, String side, String bound) {
        return sidecar.metrics().sum(METRIC + "_bucket", "side", side, "le", bound);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-tls1_2", "-tls1_3"})
    void areMeasuredFromTheFirstOctets(String version) throws IOException {
        Path session = pki.path("session" + version);
        String get = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                Sidecar sidecar = Sidecar.start(
                        Setup.before(backend).listener(pki.listener("handshake-timeout: 2s", "server")))) {
            assertThat(count(sidecar, "listener", "false")).isZero();
            try (RawClient silent = sidecar.client()) {
                // which is none, and would be in the buckets of the seconds that it lasts
                assertThat(silent.closedByPeer()).isTrue();
            }
            String address = "127.0.0.1:" + sidecar.address().getPort();
            String[] shake = {"openssl", "s_client", "-connect", address, version, "-servername", "localhost"};
            client(get, shake, "-sess_out", session.toString(), "-ign_eof").good();
            assertThat(count(sidecar, "listener", "false")).isOne();
            assertThat(count(sidecar, "listener", "true")).isZero();
            assertThat(within(sidecar, "listener", "+Inf")).isOne();
            assertThat(within(sidecar, "listener", "0.00005")).isZero();
            if (OpenSslProvider.load() != null || version.equals("-tls1_3")) {
                assertThat(Files.exists(session)).isTrue();
                client(get, shake, "-sess_in", session.toString(), "-ign_eof").good();
                assertThat(count(sidecar, "listener", "true")).isOne();
                assertThat(count(sidecar, "listener", "false")).isOne();
            }
        }
    }

    private static Command client(String input, String[] command, String... more) {
        String[] all = new String[command.length + more.length];
        System.arraycopy(command, 0, all, 0, command.length);
        System.arraycopy(more, 0, all, command.length, more.length);
        return Command.fed(directory, input, all);
    }

    @Test
    void areMeasuredTowardsEndpoints() throws IOException {
        try (OpensslServer server = new OpensslServer(directory, "server");
                Sidecar sidecar = Sidecar.start(
                        Setup.at(server.port()).cluster("tls: { server-name: localhost, " + pki.trust("ca") + " }"));
                RawClient client = sidecar.client()) {
            client.send("GET /ca.crt HTTP/1.1\r\nHost: app\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(200);
            assertThat(count(sidecar, "cluster", "false")).isOne();
            assertThat(within(sidecar, "cluster", "+Inf")).isOne();
            assertThat(within(sidecar, "cluster", "0.00005")).isZero();
        }
    }

    /** Endpoints have tickets of their own, so a session of one is none with another. */
    @Test
    void resumesWithEachOfTheEndpoints() throws IOException {
        assumeThat(OpenSslProvider.load()).isNotNull();
        try (OpensslServer one = new OpensslServer(directory, "server");
                OpensslServer other = new OpensslServer(directory, "server");
                OpensslServer third = new OpensslServer(directory, "server");
                Sidecar sidecar = Sidecar.start(Setup.at(one.port())
                        .and(other.port())
                        .and(third.port())
                        .cluster("balancer: round-robin\ntls: { server-name: localhost, " + pki.trust("ca") + " }"));
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 12; i++) {
                client.send("GET /ca.crt HTTP/1.1\r\nHost: app\r\n\r\n");
                assertThat(client.response().status()).isEqualTo(200);
            }
            assertThat(count(sidecar, "cluster", "false")).isEqualTo(3);
            assertThat(count(sidecar, "cluster", "true")).isEqualTo(9);
        }
    }
}
