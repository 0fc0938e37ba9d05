package io.remora.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.remora.testkit.Pki;
import io.remora.tls.openssl.OpenSslProvider;
import java.io.IOException;
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

/** Sessions of both providers, one against the other, in memory: what the seam promises. */
final class ProvidersIT {
    private static final UnpooledByteBufAllocator ALLOCATOR = UnpooledByteBufAllocator.DEFAULT;
    private static final String URI = "spiffe://mesh/ns/a/sa/b";

    @TempDir
    static Path directory;

    private static Pki pki;

    @BeforeAll
    static void certificates() {
        pki = new Pki(directory)
                .authority("ca")
                .authorityBelow("ca", "middle")
                .issue("middle", "server", "DNS:app.test")
                .join("chain", "server", "middle")
                .issue("ca", "client", "URI:" + URI);
    }

    /** Those that are there, by their names, as client and server. */
    private static Stream<Arguments> pairs() {
        List<String> names = OpenSslProvider.load() == null ? List.of("jdk") : List.of("jdk", "openssl");
        return names.stream().flatMap(client -> names.stream().flatMap(server -> Stream.of("TLSv1.2", "TLSv1.3")
                .map(version -> Arguments.of(client, server, version))));
    }

    private static TlsProvider provider(String name) {
        TlsProvider openSsl = name.equals("jdk") ? null : OpenSslProvider.load();
        return openSsl == null ? new JdkProvider() : openSsl;
    }

    private static Credentials credentials(String chain, String key, String... names) throws IOException {
        byte[] der = KeyFile.read(Pem.read(pki.path(key + ".key").toString()), null);
        List<byte[]> certificates =
                CertificateFile.read(pki.path(chain + ".crt").toString());
        return new Credentials(certificates, der, KeyFile.algorithmOf(der), List.of(names));
    }

    private static List<byte[]> trust() throws IOException {
        return CertificateFile.read(pki.path("ca.crt").toString());
    }

    private static TlsParameters protocols(TlsProvider provider, String version) {
        return new TlsParameters(List.of(version), provider.cipherSuites(), provider.groups(), List.of("http/1.1"));
    }

    private static TlsContext server(String name, String version) throws IOException {
        TlsProvider provider = provider(name);
        List<Credentials> own = List.of(credentials("chain", "server", "app.test"));
        return provider.server(new ServerSettings(own, protocols(provider, version), new ClientAuth(true, trust())));
    }

    private static TlsContext client(String name, String version, PeerNames peer, boolean shows) throws IOException {
        TlsProvider provider = provider(name);
        @Nullable Credentials own = shows ? credentials("client", "client") : null;
        return provider.client(new ClientSettings(trust(), "app.test", peer, own, protocols(provider, version)));
    }

    private static PeerNames app() {
        return new PeerNames(List.of("app.test"), List.of());
    }

    // ---- two that talk

    /** What the server's application and the client's have read so far. */
    private static final class Conversation implements AutoCloseable {
        final TlsSession client;
        final TlsSession server;
        final ByteBuf atClient = ALLOCATOR.directBuffer();
        final ByteBuf atServer = ALLOCATOR.directBuffer();
        private final int chunk;

        Conversation(TlsContext client, TlsContext server, int chunk) throws TlsException {
            this.client = client.newSession();
            this.server = server.newSession();
            this.chunk = chunk;
        }

        Conversation shake() throws TlsException {
            client.start();
            server.start();
            settle();
            return this;
        }

        /** Until neither has anything to say. */
        void settle() throws TlsException {
            boolean any = true;
            while (any) {
                any = pass(client, server, atServer) | pass(server, client, atClient);
            }
        }

        private boolean pass(TlsSession from, TlsSession to, ByteBuf content) throws TlsException {
            ByteBuf wire = from.takeOutgoing(ALLOCATOR);
            if (wire != null) {
                arrive(wire, to, content);
            }
            return wire != null;
        }

        private void arrive(ByteBuf wire, TlsSession to, ByteBuf content) throws TlsException {
            try {
                while (wire.isReadable()) {
                    ByteBuf part = wire.readSlice(Math.min(chunk, wire.readableBytes()));
                    content.ensureWritable(to.contentRoom(part.readableBytes()));
                    to.decrypt(part, content);
                    assertThat(part.isReadable()).isFalse();
                }
            } finally {
                wire.release();
            }
        }

        void send(TlsSession from, TlsSession to, byte[] octets, ByteBuf at) throws TlsException {
            ByteBuf content = ALLOCATOR.directBuffer(octets.length).writeBytes(octets);
            int room = from.wireRoom(octets.length);
            ByteBuf wire = ALLOCATOR.directBuffer(room, room);
            try {
                from.encrypt(content, wire);
                assertThat(content.isReadable()).isFalse();
            } catch (TlsException e) {
                wire.release();
                throw e;
            } finally {
                content.release();
            }
            arrive(wire, to, at);
            byte[] got = new byte[octets.length];
            at.readBytes(got);
            at.clear();
            assertThat(got).isEqualTo(octets);
        }

        @Override
        public void close() {
            client.free();
            server.free();
            atClient.release();
            atServer.release();
        }
    }

    private static byte[] octets(int count) {
        byte[] octets = new byte[count];
        for (int i = 0; i < count; i++) {
            octets[i] = (byte) (i * 31 + (i >> 9));
        }
        return octets;
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void carriesContentBothWays(String clients, String servers, String version) throws IOException {
        TlsContext client = client(clients, version, app(), true);
        TlsContext server = server(servers, version);
        for (int chunk : new int[] {Integer.MAX_VALUE, 1, 4_099}) {
            try (Conversation both = new Conversation(client, server, chunk).shake()) {
                for (TlsSession one : List.of(both.client, both.server)) {
                    assertThat(one.isEstablished())
                            .as(one + " " + chunk + (one == both.client))
                            .isTrue();
                    assertThat(one.version()).isEqualTo(version);
                    assertThat(one.protocol()).isEqualTo("http/1.1");
                    assertThat(one.cipherSuite()).startsWith("TLS_").isEqualTo(both.client.cipherSuite());
                }
                assertThat(both.client.peerChain().length).isEqualTo(2);
                assertThat(SubjectNames.of(both.client.peerChain()[0]).identity())
                        .isEqualTo("app.test");
                assertThat(SubjectNames.of(both.server.peerChain()[0]).identity())
                        .isEqualTo(URI);
                // octet by octet, a record and one octet more are enough, and take long enough
                int most = chunk == 1 ? 16_385 : 100_000;
                for (int count : new int[] {1, 16_384, most}) {
                    both.send(both.client, both.server, octets(count), both.atServer);
                    both.send(both.server, both.client, octets(count), both.atClient);
                }
            }
        }
        client.release();
        server.release();
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void endsEachDirectionByItself(String clients, String servers, String version) throws IOException {
        TlsContext client = client(clients, version, app(), true);
        TlsContext server = server(servers, version);
        try (Conversation both = new Conversation(client, server, Integer.MAX_VALUE).shake()) {
            both.server.closeOutput();
            both.server.closeOutput();
            both.settle();
            assertThat(both.client.isInputClosed()).isTrue();
            assertThat(both.server.isInputClosed()).isEqualTo(version.equals("TLSv1.2") && clients.equals("jdk"));
            assertThatThrownBy(() -> both.send(both.server, both.client, octets(1), both.atClient))
                    .isInstanceOfSatisfying(
                            TlsException.class, e -> assertThat(e.failure()).isEqualTo(TlsFailure.CLOSED));
        } finally {
            client.release();
            server.release();
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void refusesAnotherNameInTheHandshake(String clients, String servers, String version) throws IOException {
        TlsContext client = client(clients, version, new PeerNames(List.of("other.test"), List.of()), true);
        TlsContext server = server(servers, version);
        try (Conversation both = new Conversation(client, server, Integer.MAX_VALUE)) {
            assertThatThrownBy(both::shake).isInstanceOfSatisfying(TlsException.class, e -> assertThat(e.failure())
                    .isEqualTo(TlsFailure.CERTIFICATE_NAME));
            assertThat(both.client.isEstablished()).isFalse();
            assertThat(both.server.isEstablished()).isFalse();
            // its alert, which OpenSSL does not encrypt yet, unlike AWS-LC, and the JDK will not read then
            boolean isPlain = provider(clients).name().startsWith("openssl ") && version.equals("TLSv1.3");
            boolean isRead = !isPlain || !servers.equals("jdk");
            assertThatThrownBy(both::settle).isInstanceOfSatisfying(TlsException.class, e -> assertThat(e.failure())
                    .isEqualTo(isRead ? TlsFailure.ALERT : TlsFailure.PROTOCOL));
        } finally {
            client.release();
            server.release();
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void refusesAClientWithoutACertificate(String clients, String servers, String version) throws IOException {
        TlsContext client = client(clients, version, app(), false);
        TlsContext server = server(servers, version);
        try (Conversation both = new Conversation(client, server, Integer.MAX_VALUE)) {
            assertThatThrownBy(both::shake).isInstanceOfSatisfying(TlsException.class, e -> assertThat(e.failure())
                    .isEqualTo(TlsFailure.CERTIFICATE_MISSING));
            assertThat(both.server.isEstablished()).isFalse();
        } finally {
            client.release();
            server.release();
        }
    }

    // ---- OpenSSL's and AWS-LC's own

    /** The log and the problems of a configuration name the library, which scripts/test-openssl expects to be this. */
    @Test
    void tellsWhichLibraryItIs() {
        TlsProvider library = OpenSslProvider.load();
        assumeThat(library).isNotNull();
        String expected = System.getProperty("remora.test.library", "openssl");
        assertThat(library.name()).matches(expected + " [0-9]+\\.[0-9]+\\.[0-9]+");
    }

    /** Where the tests run for its sake, none of them is to pass by the JDK's engine. */
    @Test
    void isThereWhereItIsRequired() {
        if ("required".equals(System.getProperty("remora.test.openssl"))) {
            assertThat(OpenSslProvider.load()).isNotNull();
        }
    }

    @Test
    void resumesWithinAContext() throws IOException {
        assumeThat(OpenSslProvider.load()).isNotNull();
        for (String version : List.of("TLSv1.2", "TLSv1.3")) {
            TlsContext client = client("openssl", version, app(), true);
            TlsContext server = server("openssl", version);
            TlsContext other = server("openssl", version);
            assertThat(isResumed(client, server)).isFalse();
            assertThat(isResumed(client, server)).isTrue();
            assertThat(isResumed(client, other)).isFalse();
            client.release();
            server.release();
            other.release();
        }
    }

    /** The JDK's server gives a ticket for a full handshake of TLS 1.3, and none else. */
    @Test
    void resumesWithTheJdksEngine() throws IOException {
        assumeThat(OpenSslProvider.load()).isNotNull();
        for (String version : List.of("TLSv1.2", "TLSv1.3")) {
            TlsContext client = client("openssl", version, app(), true);
            TlsContext server = server("jdk", version);
            TlsContext other = server("jdk", version);
            boolean gives = version.equals("TLSv1.3");
            assertThat(isResumed(client, server)).isFalse();
            assertThat(isResumed(client, server)).isEqualTo(gives);
            assertThat(isResumed(client, server)).as("no ticket of a ticket").isFalse();
            assertThat(isResumed(client, other)).as("another context").isFalse();
            client.release();
            server.release();
            other.release();
        }
    }

    @ParameterizedTest
    @MethodSource("pairs")
    void theJdksEngineResumesNothingTowardsServers(String clients, String servers, String version) throws IOException {
        assumeThat(clients).isEqualTo("jdk");
        TlsContext client = client(clients, version, app(), true);
        TlsContext server = server(servers, version);
        for (int i = 0; i < 3; i++) {
            assertThat(isResumed(client, server)).isFalse();
        }
        client.release();
        server.release();
    }

    private static boolean isResumed(TlsContext client, TlsContext server) throws TlsException {
        try (Conversation both = new Conversation(client, server, Integer.MAX_VALUE).shake()) {
            assertThat(both.server.isResumed()).isEqualTo(both.client.isResumed());
            assertThat(SubjectNames.of(both.server.peerChain()[0]).identity()).isEqualTo(URI);
            return both.client.isResumed();
        }
    }

    @Test
    void givesAllOfOpenSslsMemoryBack() throws IOException {
        assumeThat(OpenSslProvider.load()).isNotNull();
        long before = 0;
        for (int round = 0; round < 3; round++) {
            TlsContext client = client("openssl", "TLSv1.3", app(), true);
            TlsContext nobody = client("openssl", "TLSv1.3", app(), false);
            TlsContext server = server("openssl", "TLSv1.3");
            for (int i = 0; i < 100; i++) {
                isResumed(client, server);
                try (Conversation both = new Conversation(nobody, server, Integer.MAX_VALUE)) {
                    assertThatThrownBy(both::shake).isInstanceOf(TlsException.class);
                }
            }
            nobody.release();
            server.release();
            client.release();
            client.release();
            if (round > 0) {
                assertThat(OpenSslProvider.allocatedOctets()).isEqualTo(before);
            }
            before = OpenSslProvider.allocatedOctets();
        }
        assertThat(before).isPositive();
    }

    @Test
    void refusesKeysOfSomebodyElse() throws IOException {
        for (String name : List.of("jdk", "openssl")) {
            provider(name).judge(credentials("chain", "server"));
            assertThatThrownBy(() -> provider(name).judge(credentials("chain", "client")))
                    .isInstanceOf(TlsException.class)
                    .hasMessageContaining("key");
        }
    }

    @Test
    void beginsNothingOnceItIsReleased() throws IOException {
        assumeThat(OpenSslProvider.load()).isNotNull();
        TlsContext server = server("openssl", "TLSv1.3");
        TlsContext client = client("openssl", "TLSv1.3", app(), true);
        try (Conversation both = new Conversation(client, server, Integer.MAX_VALUE)) {
            server.release();
            client.release();
            // those that began before go on
            both.shake();
            both.send(both.client, both.server, octets(1_000), both.atServer);
            assertThatThrownBy(server::newSession).isInstanceOf(TlsException.class);
            both.client.free();
            assertThatThrownBy(both.client::closeOutput).isInstanceOf(IllegalStateException.class);
        }
    }
}
