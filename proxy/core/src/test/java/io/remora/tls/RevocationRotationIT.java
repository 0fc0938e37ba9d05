package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Await;
import io.remora.testkit.EveryEngine;
import io.remora.testkit.Pki;
import io.remora.testkit.RecordingBackend;
import io.remora.testkit.Setup;
import io.remora.testkit.Sidecar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Revocation lists that are replaced while the sidecar runs. */
@EveryEngine
final class RevocationRotationIT {
    @TempDir
    Path directory;

    private void put(Pki pki, String list) throws IOException {
        Path fresh = Files.copy(pki.path(list + ".crl"), pki.path("fresh.crl"));
        Files.move(fresh, pki.path("used.crl"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void await(Sidecar sidecar, String outcome) {
        Await.until(outcome, () -> sidecar.metrics().sum("remora_tls_reloads_total", "outcome", outcome) == 1);
    }

    private static long outdated(Sidecar sidecar) {
        return sidecar.metrics().sum("remora_tls_crl_expires_seconds", "side", "listener");
    }

    @Test
    void aNewListCountsFromThenOnAndAnOutdatedOneReplacesNoCurrentOne() throws IOException {
        Pki pki = new Pki(directory);
        Revocations lists = new Revocations(pki).authority("ca");
        pki.issue("ca", "server", "DNS:localhost").issue("ca", "client", "DNS:client.test");
        lists.list("none", "ca").list("it", "ca", "client").listUntil(Revocations.PAST, "", "old", "ca");
        put(pki, "none");
        String clients =
                "client-certificates: required, " + pki.trust("ca") + ", crl: \"" + pki.path("used.crl") + "\"";
        try (RecordingBackend backend = RecordingBackend.start().replyOk();
                Sidecar sidecar = Sidecar.start(Setup.before(backend).listener(pki.listener(clients, "server")))) {
            assertThat(TlsPeer.isServed(sidecar.address(), TlsPeer.context(pki, "client")))
                    .isTrue();
            long until = outdated(sidecar);
            put(pki, "old");
            await(sidecar, "refused");
            assertThat(TlsPeer.isServed(sidecar.address(), TlsPeer.context(pki, "client")))
                    .isTrue();
            assertThat(outdated(sidecar)).isEqualTo(until);
            put(pki, "it");
            await(sidecar, "taken");
            assertThat(TlsPeer.isServed(sidecar.address(), TlsPeer.context(pki, "client")))
                    .isFalse();
        }
    }
}
