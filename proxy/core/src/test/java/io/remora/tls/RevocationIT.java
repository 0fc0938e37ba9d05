package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.remora.testkit.Pki;
import io.remora.tls.openssl.OpenSslProvider;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What both providers make of revocation lists, and which files are taken for some. */
final class RevocationIT {
    private static final UnpooledByteBufAllocator ALLOCATOR = UnpooledByteBufAllocator.DEFAULT;

    @TempDir
    static Path directory;

    private static Pki pki;

    @BeforeAll
    static void certificates() throws IOException {
        pki = new Pki(directory);
        Revocations lists = new Revocations(pki)
                .authority("ca")
                .authority("namesake", "ca")
                .authority("other")
                .authorityBelow("ca", "middle")
                .authorityBelow("ca", "dropped");
        pki.authority("mute")
                .issue("ca", "server", "DNS:app.test")
                .issue("ca", "bad-server", "DNS:app.test")
                .issue("ca", "good", "DNS:good.test")
                .issue("ca", "bad", "DNS:bad.test")
                .issue("middle", "leaf", "DNS:leaf.test")
                .issue("middle", "bad-leaf", "DNS:bad-leaf.test")
                .issue("dropped", "orphan", "DNS:orphan.test")
                .issue("mute", "muted", "DNS:muted.test")
                .join("leaf-chain", "leaf", "middle")
                .join("bad-leaf-chain", "bad-leaf", "middle")
                .join("orphan-chain", "orphan", "dropped")
                .join("all", "ca", "mute", "other");
        lists.list("ca", "ca", "bad", "bad-server", "dropped")
                .list("middle", "middle", "bad-leaf")
                .listUntil(Revocations.PAST, "", "old", "ca", "bad")
                .list("forged", "namesake", "good")
                .list("muted", "mute")
                .list("empty", "ca")
                .listUntil(Revocations.FAR, "issuingDistributionPoint=critical,@p", "part", "ca")
                .listUntil(Revocations.FAR, "issuingDistributionPoint=@p", "quiet-part", "ca")
                .listUntil(Revocations.FAR, "authorityKeyIdentifier=keyid:always", "number", "ca")
                .join("both.crl", "ca.crl", "middle.crl")
                .join("old-and-new.crl", "old.crl", "ca.crl")
                .join("forged-and-good.crl", "forged.crl", "ca.crl");
    }

    /** The list of the server, who comes, and what the server makes of that; empty for a connection. */
    private static final String[][] CASES = {
        {"ca", "good", ""},
        {"ca", "bad", "CERTIFICATE_REVOKED"},
        {"ca", "leaf", ""},
        {"ca", "bad-leaf", ""},
        {"ca", "orphan", "CERTIFICATE_REVOKED"},
        {"middle", "bad-leaf", "CERTIFICATE_REVOKED"},
        {"middle", "orphan", ""},
        {"middle", "bad", ""},
        {"both", "leaf", ""},
        {"both", "bad-leaf", "CERTIFICATE_REVOKED"},
        {"both", "orphan", "CERTIFICATE_REVOKED"},
        {"both", "muted", ""},
        {"empty", "bad", ""},
        {"old", "good", "REVOCATION_UNKNOWN"},
        {"old", "bad", "REVOCATION_UNKNOWN"},
        {"old", "leaf", "REVOCATION_UNKNOWN"},
        {"old", "muted", ""},
        {"forged", "good", "REVOCATION_UNKNOWN"},
        {"forged", "bad", "REVOCATION_UNKNOWN"},
        {"muted", "muted", "REVOCATION_UNKNOWN"},
        {"old-and-new", "good", ""},
        {"old-and-new", "bad", "CERTIFICATE_REVOKED"},
        {"forged-and-good", "good", ""},
        {"forged-and-good", "bad", "CERTIFICATE_REVOKED"},
        {"number", "good", ""},
    };

    private static Stream<String> providers() {
        return OpenSslProvider.load() == null ? Stream.of("jdk") : Stream.of("jdk", "openssl");
    }

    private static Stream<Arguments> cases() {
        return providers().flatMap(provider -> Stream.of("TLSv1.2", "TLSv1.3").flatMap(version -> Stream.of(CASES)
                .map(one -> Arguments.of(provider, version, one[0], one[1], one[2]))));
    }

    private static TlsProvider provider(String name) {
        TlsProvider openSsl = name.equals("jdk") ? null : OpenSslProvider.load();
        return openSsl == null ? new JdkProvider() : openSsl;
    }

    private static Credentials credentials(String name) throws IOException {
        String chain = Files.exists(pki.path(name + "-chain.crt")) ? name + "-chain" : name;
        byte[] der = KeyFile.read(Pem.read(pki.path(name + ".key").toString()), null);
        return new Credentials(certificates(chain), der, KeyFile.algorithmOf(der), List.of());
    }

    private static List<byte[]> certificates(String name) throws IOException {
        return CertificateFile.read(pki.path(name + ".crt").toString());
    }

    private static List<byte[]> lists(String name) throws IOException {
        return RevocationFile.read(Pem.read(pki.path(name + ".crl").toString()));
    }

    private static TlsParameters protocols(TlsProvider provider, String version) {
        return new TlsParameters(
                List.of(version), provider.cipherSuites(), List.of("x25519", "secp256r1", "secp384r1"), List.of());
    }

    private static TlsContext server(String name, String version, String list) throws IOException {
        TlsProvider provider = provider(name);
        ClientAuth auth = new ClientAuth(true, certificates("all"), lists(list));
        return provider.server(new ServerSettings(List.of(credentials("server")), protocols(provider, version), auth));
    }

    private static TlsContext client(String name, String version, String own) throws IOException {
        TlsProvider provider = provider(name);
        PeerNames peer = new PeerNames(List.of("app.test"), List.of());
        return provider.client(new ClientSettings(
                certificates("ca"), "app.test", peer, credentials(own), protocols(provider, version)));
    }

    // ---- two that shake hands

    private static @Nullable TlsException pass(TlsSession from, TlsSession to) {
        ByteBuf wire = from.takeOutgoing(ALLOCATOR);
        if (wire == null) {
            return null;
        }
        ByteBuf content = ALLOCATOR.directBuffer(Math.max(1, to.contentRoom(wire.readableBytes())));
        try {
            to.decrypt(wire, content);
            return null;
        } catch (TlsException e) {
            return e;
        } finally {
            wire.release();
            content.release();
        }
    }

    /** What ended it at the one that listens; null where it was a connection. */
    private static @Nullable TlsException failureAt(boolean ofClient, TlsSession client, TlsSession server)
            throws TlsException {
        client.start();
        server.start();
        TlsException atClient = null;
        TlsException atServer = null;
        for (int i = 0; i < 8 && atServer == null && atClient == null; i++) {
            atServer = pass(client, server);
            if (atServer == null) {
                atClient = pass(server, client);
            }
        }
        if (atServer == null && atClient == null) {
            assertThat(client.isEstablished()).isTrue();
            assertThat(server.isEstablished()).isTrue();
        }
        return ofClient ? atClient : atServer;
    }

    private static @Nullable TlsException failureAt(boolean ofClient, TlsContext client, TlsContext server)
            throws TlsException {
        TlsSession one = client.newSession();
        TlsSession other = server.newSession();
        try {
            return failureAt(ofClient, one, other);
        } finally {
            one.free();
            other.free();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void looksClientsUp(String provider, String version, String list, String who, String failure) throws IOException {
        TlsContext server = server(provider, version, list);
        TlsContext client = client("jdk", version, who);
        // more than once, as what is known of a list is kept
        for (int i = 0; i < 2; i++) {
            TlsException ended = failureAt(false, client, server);
            assertThat(ended == null ? "" : ended.failure().name()).isEqualTo(failure);
        }
        client.release();
        server.release();
    }

    @ParameterizedTest
    @MethodSource("providers")
    void looksEndpointsUp(String name) throws IOException {
        TlsProvider provider = provider(name);
        for (String version : List.of("TLSv1.2", "TLSv1.3")) {
            TlsContext client = provider.client(new ClientSettings(
                    certificates("ca"),
                    "app.test",
                    new PeerNames(List.of("app.test"), List.of()),
                    null,
                    protocols(provider, version),
                    lists("ca")));
            for (String own : List.of("server", "bad-server")) {
                TlsContext server = new JdkProvider()
                        .server(new ServerSettings(
                                List.of(credentials(own)), protocols(new JdkProvider(), version), null));
                TlsException ended = failureAt(true, client, server);
                assertThat(ended == null ? "" : ended.failure().name())
                        .isEqualTo(own.equals("server") ? "" : "CERTIFICATE_REVOKED");
            }
            client.release();
        }
    }

    /** In plain text with TLS 1.2: 21 is a record of an alert, and 44 is certificate_revoked. The JDK's server knows no other than 46. */
    @ParameterizedTest
    @MethodSource("providers")
    void saysInTheAlertWhy(String name) throws IOException {
        TlsSession server = server(name, "TLSv1.2", "ca").newSession();
        TlsSession client = client("jdk", "TLSv1.2", "bad").newSession();
        assertThat(failureAt(false, client, server)).isNotNull();
        ByteBuf alert = server.takeOutgoing(ALLOCATOR);
        assertThat(alert).isNotNull();
        assertThat(alert.getByte(0)).isEqualTo((byte) 21);
        assertThat(alert.getByte(5)).as("fatal").isEqualTo((byte) 2);
        assertThat(alert.getByte(6)).isEqualTo((byte) (name.equals("jdk") ? 46 : 44));
        alert.release();
        client.free();
        server.free();
    }

    /** A ticket of one context says nothing to another one, which has other lists. */
    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void resumesOnlyWhereItWasLookedUp(String version) throws IOException {
        assumeThat(OpenSslProvider.load()).isNotNull();
        TlsContext before = server("openssl", version, "empty");
        TlsContext after = server("openssl", version, "ca");
        TlsContext client = client("openssl", version, "bad");
        assertThat(failureAt(false, client, before)).isNull();
        TlsSession one = client.newSession();
        TlsSession other = before.newSession();
        assertThat(failureAt(false, one, other)).isNull();
        assertThat(other.isResumed()).isTrue();
        one.free();
        other.free();
        assertThat(failureAt(false, client, after))
                .isInstanceOfSatisfying(
                        TlsException.class, e -> assertThat(e.failure()).isEqualTo(TlsFailure.CERTIFICATE_REVOKED));
        client.release();
        before.release();
        after.release();
    }

    // ---- files

    @Test
    void refusesWhatIsNoCompleteList() throws IOException {
        assertThatThrownBy(() -> lists("part")).hasMessageContaining("line 1: is partial");
        // where the authority has left out that it is critical
        assertThatThrownBy(() -> lists("quiet-part")).hasMessageContaining("is partial");
        assertThatThrownBy(() -> RevocationFile.read(Pem.read(pki.path("ca.crt").toString())))
                .hasMessage("has no PEM block of a revocation list, but of CERTIFICATE");
        Files.writeString(pki.path("noise.crl"), "-----BEGIN X509 CRL-----\nAAAA\n-----END X509 CRL-----\n");
        assertThatThrownBy(() -> lists("noise")).hasMessage("line 1: not a revocation list: malformed DER");
        assertThat(lists("both")).hasSize(2);
    }

    /** Cut short or with an octet of its head changed, it is refused or read, and nothing worse. */
    @Test
    void readsAnythingWithoutAnAccident() throws IOException {
        byte[] list = lists("ca").get(0);
        int refused = 0;
        for (int i = 0; i < list.length; i++) {
            byte[] cut = java.util.Arrays.copyOf(list, i);
            assertThatThrownBy(() -> RevocationList.of(cut)).isInstanceOf(TlsException.class);
            byte[] changed = list.clone();
            changed[i] ^= (byte) 0x55;
            try {
                RevocationList.of(changed);
            } catch (IOException e) {
                refused++;
            }
        }
        assertThat(refused).isPositive();
    }

    @Test
    void tellsOfItsLists() throws IOException {
        RevocationFile file = new RevocationFile(lists("both"));
        long nowMs = 1_790_000_000_000L;
        assertThat(file.describe("f", certificates("all"), nowMs))
                .containsExactly(
                        "revocation list f: CN=ca: 3 entries; next update in 26399 days",
                        "revocation list f: CN=middle: 1 entry; next update in 26399 days",
                        "revocation list f: none of 2 of 3 that are trusted; what these issued is not looked up");
        assertThat(file.isCurrentAt(nowMs)).isTrue();
        assertThat(file.nextUpdateMs()).isEqualTo(4_070_908_800_000L);
        RevocationFile old = new RevocationFile(lists("old-and-new"));
        assertThat(old.isCurrentAt(nowMs)).isFalse();
        assertThat(old.describe("f", certificates("ca"), 1_738_454_400_000L))
                .first()
                .asString()
                .endsWith("since 1 day");
        assertThat(old.describe("f", certificates("ca"), 1_000L))
                .first()
                .asString()
                .endsWith("not valid yet");
    }
}
