package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.Count;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.MountedSecret;
import io.remora.testkit.Pki;
import io.remora.testkit.RawResponse;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import io.remora.testkit.Stand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that go on asking while certificates change and connections grow old: none of their requests is lost. */
@EveryEngine
final class RotationUnderLoadIT {
    /** About 1,000 requests a second at the most, with this pause after each. */
    private static final int CLIENTS = 12;

    private static final int PAUSE_MS = 10;

    @TempDir
    static Path directory;

    private final List<String> wrong = new CopyOnWriteArrayList<>();
    private final Set<String> servers = ConcurrentHashMap.newKeySet();
    private final AtomicInteger answered = new AtomicInteger();
    private volatile boolean stopped;

    @Test
    void losesNothing() throws IOException, InterruptedException {
        Pki pki = new Pki(directory)
                .authority("ca")
                .issue("ca", "one", "DNS:localhost")
                .issue("ca", "two", "DNS:localhost")
                .issue("ca", "client", "URI:spiffe://mesh/ns/a/sa/b");
        MountedSecret secret = new MountedSecret(Files.createTempDirectory(directory, "mount"), "tls.crt", "tls.key");
        secret.put(pki.path("one.crt"), pki.path("one.key"));
        String own = "{ chain: \"" + secret.path("tls.crt") + "\", key: \"" + secret.path("tls.key") + "\" }";
        String tls = "tls: { certificates: [" + own + "], client-certificates: required, " + pki.trust("ca") + " }";
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                Sidecar sidecar = Sidecar.start(Setup.before(backend)
                        .listener(tls + "\ntimeouts: { max-connection-age: 400ms }")
                        .cluster("timeouts: { max-connection-age: 400ms }"))) {
            List<Thread> clients = clients(sidecar, TlsPeer.context(pki, "client"));
            for (int i = 1; i <= 3; i++) {
                String next = i % 2 == 0 ? "one" : "two";
                servers.clear();
                secret.put(pki.path(next + ".crt"), pki.path(next + ".key"));
                Await.until("all see the new one", () -> servers.contains(next));
            }
            stopped = true;
            for (Thread client : clients) {
                client.join(Await.TIMEOUT_MS);
                assertThat(client.isAlive()).isFalse();
            }
            assertThat(wrong).isEmpty();
            sidecar.awaitIdle();
            assertThat(sidecar.count(Count.EXCHANGES_FINISHED)).isEqualTo(answered.get());
            assertThat(answered.get()).isGreaterThan(100);
            assertThat(sidecar.count(Count.CONNECTIONS_ACCEPTED)).isGreaterThan(2 * CLIENTS);
            assertThat(sidecar.count(Count.RETRIES)).isZero();
        }
    }

    private List<Thread> clients(Sidecar sidecar, SSLContext context) {
        List<Thread> clients = new ArrayList<>();
        for (int i = 0; i < CLIENTS; i++) {
            Thread client = new Thread(() -> ask(sidecar, context), "client-" + i);
            client.setDaemon(true);
            client.start();
            clients.add(client);
        }
        return clients;
    }

    private void ask(Sidecar sidecar, SSLContext context) {
        while (!stopped) {
            try (TlsPeer peer = TlsPeer.connect(sidecar.address(), context)) {
                servers.add(peer.server());
                boolean kept = true;
                while (kept && !stopped) {
                    RawResponse response = peer.get();
                    answered.incrementAndGet();
                    if (response.status() != 200) {
                        wrong.add(response.toString());
                    }
                    kept = !response.fields().tokens("Connection").contains("close");
                    Stand.pause(PAUSE_MS);
                }
            } catch (IOException e) {
                wrong.add(e.toString());
            }
        }
    }
}
