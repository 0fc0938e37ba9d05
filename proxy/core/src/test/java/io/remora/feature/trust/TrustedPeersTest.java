package io.remora.feature.trust;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.http.Fields;
import io.remora.http.Heads;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who a client is, from lists that strangers have had their hands in. */
final class TrustedPeersTest {
    private static final String PROXY = "10.0.0.1";
    private static final String NOBODY = "(not believed)";
    private static final String PEER = "(peer)";

    private static TrustedPeers inNetworks(boolean forwarded) {
        return new TrustedPeers(new TrustConfig(List.of("10.0.0.0/8", "fd00::/8"), List.of(), 0, forwarded));
    }

    private static TrustedPeers behind(int hops) {
        return new TrustedPeers(new TrustConfig(List.of(), List.of(), hops, false));
    }

    private static String client(TrustedPeers peers, String peer, @Nullable String identity, String... lines) {
        if (!peers.believe(Heads.fields(lines), peer, identity)) {
            assertThat(peers.client()).isNull();
            return NOBODY;
        }
        String client = peers.client();
        return client == null ? PEER : client;
    }

    /** Through a proxy that is believed, one line of X-Forwarded-For. */
    private static String xff(String value) {
        return throughProxy(false, "X-Forwarded-For: " + value);
    }

    private static String forwarded(String value) {
        return throughProxy(true, "Forwarded: " + value);
    }

    private static String throughProxy(boolean forwarded, String... lines) {
        return client(inNetworks(forwarded), PROXY, null, lines);
    }

    // ---- X-Forwarded-For

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "1.2.3.4 # 1.2.3.4",
                "1.2.3.4:5678 # 1.2.3.4",
                "2001:db8::1 # 2001:db8::1",
                "[2001:db8::1] # 2001:db8::1",
                "[2001:db8::1]:443 # 2001:db8::1",
                "::ffff:1.2.3.4 # ::ffff:1.2.3.4",
                "6.6.6.6, 1.2.3.4 # 1.2.3.4",
                "6.6.6.6,1.2.3.4 # 1.2.3.4",
                "6.6.6.6 ,\t 1.2.3.4 # 1.2.3.4",
                "1.2.3.4, 10.0.0.2 # 1.2.3.4",
                "6.6.6.6, 1.2.3.4, 10.0.0.2, 10.0.0.3 # 1.2.3.4",
                "1.2.3.4, fd00::2, ::ffff:10.0.0.3 # 1.2.3.4",
                "10.0.0.9, 1.2.3.4, 10.0.0.2 # 1.2.3.4",
                "10.0.0.2, 10.0.0.3 # 10.0.0.2",
                "nonsense, 1.2.3.4 # 1.2.3.4",
                "\", 1.2.3.4 # 1.2.3.4",
                ", 1.2.3.4 # 1.2.3.4",
            })
    void theFirstHopThatIsNotTrustedIsTheClient(String value, String client) {
        assertThat(xff(value)).isEqualTo(client);
    }

    /** Behind what cannot be understood nothing is: the last hop that could be is as far as anybody knows. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ",",
                "1.2.3.4,",
                "1.2.3.4, ,",
                "unknown",
                "_hidden",
                "1.2.3.4, unknown",
                "1.2.3",
                "1.2.3.4.5",
                "256.1.1.1",
                "01.2.3.4",
                "1.2.3.4:",
                "1.2.3.4:123456",
                "1.2.3.4:http",
                "1.2.3.4:_x",
                "1.2.3.4:80:80",
                "[1.2.3.4]",
                "[::1",
                "::1]",
                "[]",
                "[::1]x",
                "[::1]:",
                "[::1]:x",
                "[[::1]]",
                "[::1%eth0]",
                "fe80::1%eth0",
                "\"1.2.3.4\"",
                "1.2.3.4 5.6.7.8",
                "for=1.2.3.4",
                "localhost",
                "1.2.3.4;5.6.7.8",
            })
    void whatIsNoAddressEndsTheWalk(String value) {
        assertThat(xff(value)).isEqualTo(PEER);
        assertThat(xff(value + ", 10.0.0.2")).isEqualTo("10.0.0.2");
        assertThat(xff(value + ", 6.6.6.6")).isEqualTo("6.6.6.6");
    }

    @Test
    void severalLinesAreOneList() {
        TrustedPeers peers = inNetworks(false);
        assertThat(client(
                        peers, PROXY, null, "X-Forwarded-For: 1.2.3.4", "A: b", "x-forwarded-for: 10.0.0.2, 10.0.0.3"))
                .isEqualTo("1.2.3.4");
        assertThat(client(peers, PROXY, null, "X-Forwarded-For: 1.2.3.4", "X-Forwarded-For: 5.6.7.8"))
                .isEqualTo("5.6.7.8");
        assertThat(client(peers, PROXY, null, "X-Forwarded-For: 1.2.3.4", "X-Forwarded-For:"))
                .isEqualTo(PEER);
        assertThat(client(peers, PROXY, null, "A: b")).isEqualTo(PEER);
        assertThat(client(peers, PROXY, null, "X-Forwarded-For: 1.2.3.4")).isEqualTo("1.2.3.4");
    }

    // ---- who is asked

    @ParameterizedTest
    @ValueSource(strings = {"11.0.0.1", "::1", "", "nonsense", "::10.0.0.1"})
    void aStrangerIsNotBelieved(String peer) {
        assertThat(client(inNetworks(false), peer, null, "X-Forwarded-For: 1.2.3.4"))
                .isEqualTo(NOBODY);
        assertThat(client(inNetworks(false), peer, "spiffe://mesh/ns/edge/a", "X-Forwarded-For: 1.2.3.4"))
                .isEqualTo(NOBODY);
    }

    @Test
    void aPeerIsBelievedByItsIdentity() {
        TrustConfig trust = new TrustConfig(List.of("10.0.0.0/8"), List.of("spiffe://mesh/ns/edge/*"), 0, false);
        TrustedPeers peers = new TrustedPeers(trust);
        String line = "X-Forwarded-For: 6.6.6.6, 1.2.3.4, 10.0.0.2";
        assertThat(client(peers, "192.0.2.1", "spiffe://mesh/ns/edge/a", line)).isEqualTo("1.2.3.4");
        assertThat(client(peers, "192.0.2.1", "spiffe://mesh/ns/other/a", line)).isEqualTo(NOBODY);
        assertThat(client(peers, "192.0.2.1", null, line)).isEqualTo(NOBODY);
        assertThat(client(peers, "10.0.0.1", null, line)).isEqualTo("1.2.3.4");
    }

    /** What proxies that write the one field let through in the other is a stranger's. */
    @Test
    void onlyTheConfiguredFieldIsRead() {
        assertThat(throughProxy(false, "Forwarded: for=1.2.3.4")).isEqualTo(PEER);
        assertThat(throughProxy(true, "X-Forwarded-For: 1.2.3.4")).isEqualTo(PEER);
    }

    // ---- hops

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "1 # 1.2.3.4 # 1.2.3.4",
                "1 # 6.6.6.6, 1.2.3.4 # 1.2.3.4",
                "2 # 6.6.6.6, 1.2.3.4, 10.0.0.2 # 1.2.3.4",
                "2 # 6.6.6.6, 1.2.3.4, unknown # 1.2.3.4",
                "2 # 1.2.3.4 # (not believed)",
                "2 # 1.2.3.4, # 1.2.3.4",
                "1 # unknown # (not believed)",
                "1 # 1.2.3.4, # (not believed)",
                "2 # unknown, 1.2.3.4 # (not believed)",
                "16 # 1.2.3.4, 5.6.7.8 # (not believed)",
            })
    void theHopThatTheFirstProxyNamedIsTheClient(int hops, String value, String client) {
        assertThat(client(behind(hops), "192.0.2.1", null, "X-Forwarded-For: " + value))
                .isEqualTo(client);
    }

    @Test
    void hopsAreCountedOverLines() {
        String[] lines = {"X-Forwarded-For: 6.6.6.6", "X-Forwarded-For: 1.2.3.4", "X-Forwarded-For: 10.0.0.2"};
        assertThat(client(behind(2), "192.0.2.1", null, lines)).isEqualTo("1.2.3.4");
        assertThat(client(behind(3), "192.0.2.1", null, lines)).isEqualTo("6.6.6.6");
        assertThat(client(behind(4), "192.0.2.1", null, lines)).isEqualTo(NOBODY);
        assertThat(client(behind(1), "192.0.2.1", null)).isEqualTo(NOBODY);
    }

    /** A quoted string that a stranger has left open cannot make fewer hops of many, nor more. */
    @Test
    void hopsAreNotCountedOverWhatIsNotWhole() {
        TrustedPeers peers = new TrustedPeers(new TrustConfig(List.of(), List.of(), 2, true));
        assertThat(client(peers, PROXY, null, "Forwarded: for=6.6.6.6", "Forwarded: for=\"x, for=1.2.3.4"))
                .isEqualTo(NOBODY);
        assertThat(client(peers, PROXY, null, "Forwarded: for=\"x, for=1.2.3.4, for=10.0.0.2"))
                .isEqualTo("1.2.3.4");
    }

    // ---- Forwarded

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            quoteCharacter = '~',
            value = {
                "for=1.2.3.4 # 1.2.3.4",
                "For=1.2.3.4;proto=http;by=10.0.0.1 # 1.2.3.4",
                "proto=https;FOR=\"1.2.3.4\" # 1.2.3.4",
                "proto=https; for=1.2.3.4 # 1.2.3.4",
                "for=1.2.3.4; # 1.2.3.4",
                "for=\"1.2.3.4:80\" # 1.2.3.4",
                "for=\"1.2.3.4:_port\" # 1.2.3.4",
                "for=\"[2001:db8::1]\" # 2001:db8::1",
                "for=\"[2001:db8::1]:4711\" # 2001:db8::1",
                "for=6.6.6.6, for=1.2.3.4 # 1.2.3.4",
                "for=1.2.3.4, for=\"[fd00::2]:80\", for=10.0.0.2;host=\"a,b;c\" # 1.2.3.4",
                "for=1.2.3.4, for=10.0.0.2;host=\"x, for=6.6.6.6\" # 1.2.3.4",
                "for=1.2.3.4, for=10.0.0.2;host=\"x\\\", for=6.6.6.6\" # 1.2.3.4",
                "for=1.2.3.4, for=10.0.0.2;host=\"x\\\\\" # 1.2.3.4",
                "for=\"x, for=1.2.3.4 # 1.2.3.4",
                "for=\"x\\, for=1.2.3.4 # 1.2.3.4",
                "for=\"x\\\", for=1.2.3.4 # 1.2.3.4",
                "for=\"x, for=1.2.3.4, for=10.0.0.2 # 1.2.3.4",
                "for=\"x, for=10.0.0.2 # 10.0.0.2",
            })
    void readsForwardedFromItsEnd(String value, String client) {
        assertThat(forwarded(value)).isEqualTo(client);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ";",
                ",",
                "for",
                "for=",
                "for=;",
                "=1.2.3.4",
                "1.2.3.4",
                "by=1.2.3.4",
                "for=unknown",
                "for=_SEVKISEK",
                "for=\"_SEVKISEK:80\"",
                "for=1.2.3.4;for=5.6.7.8",
                "for=1.2.3.4;;for=5.6.7.8",
                "for=1.2.3.4:80",
                "for=2001:db8::1",
                "for=\"2001:db8::1\"",
                "for=[2001:db8::1]",
                "for=\"1.2.3.4",
                "for=1.2.3.4\"",
                "for=\"1.2.3.4\"x",
                "for=\"1.2.3.\\4\"",
                "for=\"\\",
                "for=\"1.2.3.4:\"",
                "for=\"1.2.3.4:_a b\"",
                "for = 1.2.3.4",
                "for=1.2.3.4 ;proto=http",
                "for=\"[::1]:80",
                "xfor=1.2.3.4",
            })
    void whatIsNoHopEndsTheWalkOfForwarded(String value) {
        assertThat(forwarded(value)).isEqualTo(PEER);
        assertThat(forwarded(value + ", for=6.6.6.6")).isEqualTo("6.6.6.6");
    }

    // ---- bounds

    @Test
    void aLongListIsWalkedSoFarOnly() {
        String list = "1.2.3.4" + ", 10.0.0.2".repeat(31);
        assertThat(xff(list)).isEqualTo("1.2.3.4");
        assertThat(xff("1.2.3.4" + ", 10.0.0.2".repeat(32))).isEqualTo("10.0.0.2");
        assertThat(xff("6.6.6.6, ".repeat(100_000) + "1.2.3.4")).isEqualTo("1.2.3.4");
        assertThat(forwarded("\\".repeat(100_000) + "\", for=1.2.3.4")).isEqualTo("1.2.3.4");
        assertThat(forwarded("\"".repeat(100_001))).isEqualTo(PEER);
    }

    /** Anything at all before the element of a trusted proxy changes nothing. */
    @Test
    void aStrangerCannotChangeWhatAProxyAdds() {
        Random random = new Random(11);
        String characters = "\"\\,;= for=[]:.0123456789_x\t";
        TrustedPeers peers = inNetworks(true);
        TrustedPeers others = inNetworks(false);
        for (int i = 0; i < 50_000; i++) {
            StringBuilder value = new StringBuilder();
            for (int length = random.nextInt(40); length > 0; length--) {
                value.append(characters.charAt(random.nextInt(characters.length())));
            }
            String line = "Forwarded: x" + value + ", for=1.2.3.4;host=\"a, \\\"b\", for=\"10.0.0.2:80\"";
            assertThat(client(peers, PROXY, null, line)).as(line).isEqualTo("1.2.3.4");
            line = "X-Forwarded-For: x" + value + ", 1.2.3.4, [fd00::1]:80";
            assertThat(client(others, PROXY, null, line)).as(line).isEqualTo("1.2.3.4");
        }
    }

    /** A peer is judged, and a list walked, without a single object; a client's text is one. */
    @Test
    void judgesWithoutAllocation() {
        TrustedPeers peers = inNetworks(false);
        Fields none = Heads.fields("A: b");
        Fields broken = Heads.fields("X-Forwarded-For: unknown");
        com.sun.management.ThreadMXBean thread = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long allocated = Long.MAX_VALUE;
        // what the first rounds take is the JVM's
        for (int round = 0; round < 5 && allocated > 0; round++) {
            long before = thread.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 10_000; i++) {
                peers.believe(none, PROXY, null);
                peers.believe(broken, "fd00::1", "spiffe://mesh/a");
                peers.believe(broken, "192.0.2.1", null);
            }
            allocated = thread.getCurrentThreadAllocatedBytes() - before;
        }
        assertThat(allocated).isLessThan(10_000L);
    }
}
