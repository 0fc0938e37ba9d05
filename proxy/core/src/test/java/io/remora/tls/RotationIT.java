package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.files.FileStamp;
import io.remora.metrics.TlsMetric;
import io.remora.metrics.TlsStats;
import io.remora.testkit.Pki;
import io.remora.tls.config.ListenerTls;
import io.remora.tls.config.TlsCertificate;
import io.remora.tls.config.TlsFile;
import io.remora.tls.config.TlsPlaces;
import io.remora.tls.config.TlsProtocols;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is made of files that change, look by look, on a clock of the test's. */
final class RotationIT {
    private static final long MS = 1_000_000L;
    private static final long DAY_MS = 86_400_000L;

    @TempDir
    static Path directory;

    private static Pki pki;

    private final TlsStats stats = new TlsStats("listener", "in", TlsFailure.labels());
    private Path chain;
    private Path key;
    private Flaky source;
    private Rotation rotation;

    @BeforeAll
    static void certificates() {
        pki = new Pki(directory)
                .authority("ca")
                .issue("ca", "one", "DNS:one.test")
                .issue("ca", "two", "DNS:two.test");
    }

    @BeforeEach
    void begin() throws IOException {
        chain = Files.copy(
                pki.path("one.crt"),
                Files.createTempDirectory(directory, "files").resolve("tls.crt"));
        key = Files.copy(pki.path("one.key"), chain.resolveSibling("tls.key"));
        TlsCertificate configured = new TlsCertificate(file(chain), file(key), null);
        ListenerTls tls = new ListenerTls(
                List.of(configured),
                new TlsProtocols("1.2", List.of(), List.of(), List.of("http/1.1")),
                ListenerTls.ClientCertificates.OFF,
                null,
                1_000_000_000L,
                10,
                ListenerTls.Mode.STRICT,
                null,
                TlsPlaces.NONE);
        source = new Flaky(new TlsMaterial.OfListener(new JdkProvider(), "listener in", tls));
        Path[] files = Rotation.files(source);
        FileStamp[] stamps = FileStamp.of(files);
        TlsMaterial material = source.read();
        TlsHandshake handshake = new TlsHandshake("listener in", material.context(), true, 10, Runnable::run, stats);
        rotation = new Rotation(source, files, stamps, material, handshake, stats);
    }

    private static TlsFile file(Path path) {
        return new TlsFile(path.toString(), 0, 0);
    }

    /** In milliseconds how soon the next look is wanted. */
    private long lookAt(long ms) {
        return rotation.look(ms * MS, System.currentTimeMillis()) / MS;
    }

    private long taken() {
        return stats.value(TlsMetric.RELOADS, "taken");
    }

    private long refused() {
        return stats.value(TlsMetric.RELOADS, "refused");
    }

    private static void copy(String from, Path to) throws IOException {
        Files.write(to, Files.readAllBytes(pki.path(from)));
    }

    @Test
    void takesAChangeWithinTwoSeconds() throws IOException {
        assertThat(lookAt(0)).isEqualTo(1_000);
        copy("two.crt", chain);
        copy("two.key", key);
        // the latest moment at which somebody looks, and then as soon as it was wanted
        assertThat(lookAt(1_000)).isEqualTo(500);
        assertThat(taken()).isZero();
        assertThat(lookAt(1_500)).isEqualTo(1_000);
        assertThat(taken()).isOne();
        assertThat(lookAt(2_500)).isEqualTo(1_000);
        assertThat(taken()).isOne();
        assertThat(refused()).isZero();
    }

    @Test
    void waitsForAWriterThatTakesItsTime() throws IOException {
        String whole = Files.readString(pki.path("two.crt"));
        Files.writeString(chain, whole.substring(0, 100));
        assertThat(lookAt(0)).isEqualTo(500);
        Files.writeString(chain, whole.substring(0, 200));
        assertThat(lookAt(500)).isEqualTo(500);
        Files.writeString(chain, whole);
        assertThat(lookAt(1_000)).isEqualTo(500);
        // quiet, but of the key nothing has come
        assertThat(lookAt(1_500)).isEqualTo(500);
        assertThat(lookAt(2_900)).isEqualTo(500);
        copy("two.key", key);
        assertThat(lookAt(3_400)).isEqualTo(500);
        assertThat(lookAt(3_900)).isEqualTo(1_000);
        assertThat(taken()).isOne();
        assertThat(refused()).isZero();
    }

    @Test
    void countsARefusalOnceForEachChange() throws IOException {
        copy("two.crt", chain);
        for (int ms = 0; ms <= 10_000; ms += 500) {
            lookAt(ms);
        }
        assertThat(refused()).isOne();
        copy("ca.crt", chain);
        for (int ms = 10_500; ms <= 20_000; ms += 500) {
            lookAt(ms);
        }
        assertThat(refused()).isEqualTo(2);
        copy("one.crt", chain);
        for (int ms = 20_500; ms <= 30_000; ms += 500) {
            lookAt(ms);
        }
        assertThat(taken()).isOne();
        assertThat(refused()).isEqualTo(2);
    }

    /** What went wrong may have been that descriptors ran out: the files say nothing new when they are there again. */
    @Test
    void triesFilesAgainThatItHasRefused() throws IOException {
        source.fails = true;
        copy("two.crt", chain);
        copy("two.key", key);
        for (int ms = 0; ms <= 10_000; ms += 500) {
            lookAt(ms);
        }
        assertThat(refused()).isOne();
        source.fails = false;
        for (int ms = 10_500; ms <= 70_000; ms += 500) {
            lookAt(ms);
        }
        assertThat(taken()).isOne();
        assertThat(refused()).isOne();
    }

    @Test
    void remindsOfTheExpiryOnceADay() throws IOException {
        TlsCertificate configured = new TlsCertificate(file(chain), file(key), null);
        OwnCertificate own = new OwnCertificate("listener in", configured, List.of(TlsPeer.credentials(pki, "one")), 0);
        long nowMs = own.expiresMs() - 30 * DAY_MS;
        assertThat(own.warning(nowMs)).isNull();
        assertThat(own.warning(nowMs + 15 * DAY_MS)).isNull();
        assertThat(own.warning(nowMs + 17 * DAY_MS)).contains("DNS:one.test; expires in 13 days");
        assertThat(own.warning(nowMs + 17 * DAY_MS + 1)).isNull();
        assertThat(own.warning(nowMs + 18 * DAY_MS - 1)).isNull();
        assertThat(own.warning(nowMs + 18 * DAY_MS)).contains("expires in 12 days");
        assertThat(own.warning(nowMs + 31 * DAY_MS)).contains("expired 1 day ago");
        assertThat(own.warning(nowMs + 32 * DAY_MS)).contains("expired 2 days ago");
    }

    /** Files that cannot be read for a while. */
    private static final class Flaky extends TlsMaterial.Source {
        private final TlsMaterial.Source files;
        boolean fails;

        Flaky(TlsMaterial.Source files) {
            super(files.provider, files.name());
            this.files = files;
        }

        @Override
        List<String> paths() {
            return files.paths();
        }

        @Override
        TlsPlaces places() {
            return files.places();
        }

        @Override
        @Nullable
        TlsMaterial made(Materials materials) throws TlsException {
            return files.made(materials);
        }

        @Override
        TlsMaterial read() throws IOException {
            if (fails) {
                throw new IOException("Too many open files");
            }
            return super.read();
        }
    }
}
