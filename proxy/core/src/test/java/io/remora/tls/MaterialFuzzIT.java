package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Pki;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damaged certificates, keys, names and lists, by a seeded damage of our own; {@code scripts/fuzz-tls} has Jazzer look for what this
 * does not find.
 */
final class MaterialFuzzIT {
    private static final int TIMES = 3_000;

    @TempDir
    static Path directory;

    private static final List<byte[]> SEEDS = new ArrayList<>();

    @BeforeAll
    static void seeds() throws IOException {
        Pki pki = new Pki(directory);
        Revocations lists = new Revocations(pki).authority("ca").authorityBelow("ca", "middle");
        pki.issue("middle", "leaf", "DNS:*.leaf.test,URI:spiffe://mesh/ns/a/sa/b,IP:127.0.0.1,email:a@b.test")
                .issue("ca", "rsa", "DNS:rsa.test", Pki.RSA, 30)
                .join("chain", "leaf", "middle", "ca")
                .openssl("pkey", "-in", "leaf.key", "-traditional", "-out", "sec1.key")
                .openssl("pkey", "-in", "rsa.key", "-traditional", "-out", "pkcs1.key")
                .openssl("genpkey", "-algorithm", "ed25519", "-out", "ed25519.key");
        lists.list("ca", "ca", "middle", "rsa")
                .list("middle", "middle", "leaf")
                .join("both.crl", "ca.crl", "middle.crl");
        for (String file : List.of("chain.crt", "rsa.crt")) {
            seed(0, Files.readAllBytes(pki.path(file)));
        }
        for (String file : List.of("leaf.key", "sec1.key", "pkcs1.key", "ed25519.key")) {
            seed(1, Files.readAllBytes(pki.path(file)));
        }
        seed(2, Files.readAllBytes(pki.path("both.crl")));
        for (Pem block : Pem.read(pki.path("chain.crt").toString())) {
            seed(3, block.der());
            seed(5, CertificateInfo.of(block.der()).subject());
        }
        for (byte[] list : RevocationFile.read(Pem.read(pki.path("both.crl").toString()))) {
            seed(4, list);
        }
        seed(6, KeyFile.read(Pem.read(pki.path("rsa.key").toString()), null));
        seed(7, Pem.read(pki.path("sec1.key").toString()).get(0).der());
    }

    private static void seed(int reader, byte[] octets) {
        byte[] seed = new byte[octets.length + 1];
        seed[0] = (byte) reader;
        System.arraycopy(octets, 0, seed, 1, octets.length);
        SEEDS.add(seed);
    }

    private static byte[] rest(byte[] seed) {
        return Arrays.copyOfRange(seed, 1, seed.length);
    }

    /** So that it is not for nothing that the damaged ones are tried. */
    @Test
    void readsThemUndamaged() {
        assertThat(SEEDS).extracting(seed -> (int) seed[0]).contains(0, 1, 2, 3, 4, 5, 6, 7);
        for (byte[] seed : SEEDS) {
            assertThat(MaterialFuzz.isRead(MaterialFuzz.READERS.get(seed[0]), rest(seed)))
                    .as("reader %s", seed[0])
                    .isTrue();
        }
    }

    @Test
    void readsOrRefusesThemDamaged() {
        long number = Long.getLong("remora.test.seed", System.nanoTime());
        Random random = new Random(number);
        int read = 0;
        int refused = 0;
        for (int i = 0; i < TIMES; i++) {
            for (byte[] seed : SEEDS) {
                byte[] damaged = damaged(rest(seed), random);
                try {
                    if (MaterialFuzz.isRead(MaterialFuzz.READERS.get(seed[0]), damaged)) {
                        read++;
                    } else {
                        refused++;
                    }
                } catch (RuntimeException | Error e) {
                    throw new AssertionError("-Dremora.test.seed=" + number + ", reader " + seed[0] + ": " + e, e);
                }
            }
        }
        assertThat(read).isPositive();
        assertThat(refused).isPositive();
    }

    /** Flips, overwrites, repeats, drops or cuts, once or a few times. */
    private static byte[] damaged(byte[] octets, Random random) {
        byte[] now = octets.clone();
        for (int times = 1 + random.nextInt(3); times > 0 && now.length > 0; times--) {
            int at = random.nextInt(now.length);
            switch (random.nextInt(5)) {
                case 0 -> now[at] ^= (byte) (1 << random.nextInt(8));
                case 1 -> now[at] = (byte) random.nextInt();
                case 2 -> now = Arrays.copyOf(now, at);
                case 3 -> now = joined(now, at, random.nextInt(16), at);
                default -> now = joined(now, at, 0, Math.min(now.length, at + 1 + random.nextInt(16)));
            }
        }
        return now;
    }

    /** What is before {@code to} and a few octets more, then what is from {@code from} on. */
    private static byte[] joined(byte[] octets, int to, int more, int from) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        all.write(octets, 0, Math.min(octets.length, to + more));
        all.write(octets, from, octets.length - from);
        return all.toByteArray();
    }
}
