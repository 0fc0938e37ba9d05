package io.remora.proxyprotocol;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.remora.testkit.AccessLogFile;
import io.remora.testkit.Await;
import io.remora.testkit.Contract;
import io.remora.testkit.HaProxyPeer;
import io.remora.testkit.PeerProgram;
import io.remora.testkit.PeerServer;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawRequest;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import io.remora.testkit.StandardError;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Headers of the PROXY protocol before the first request. The proxy that sends them is at 127.0.0.1. */
@Contract
final class ProxyProtocolIT {
    private static final String BELIEVED = "proxy-protocol: { from: [127.0.0.1] }";
    private static final String STRANGER = "proxy-protocol: { from: [10.0.0.0/8] }";
    private static final String LINE = "PROXY TCP4 203.0.113.7 192.0.2.1 51234 8080\r\n";
    private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";
    private static final String TCP4 = SIGNATURE + "2111000c" + "cb007107" + "c0000201" + "c822" + "1f90";

    @RegisterExtension
    final Stand stand = new Stand();

    @RegisterExtension
    final StandardError standardError = new StandardError();

    private AccessLogFile log;

    @BeforeEach
    void newLog(@TempDir Path directory) {
        log = new AccessLogFile(directory.resolve("access.log"));
    }

    private String logged() {
        return standardError.text();
    }

    private void start(String listener) {
        stand.start(Setup.before(stand.backend).process(log.setting()).listener(listener));
    }

    /** Octets as hexadecimal digits, or characters where they begin as version 1 does. */
    private static byte[] header(String text) {
        return text.startsWith("PROX")
                ? text.replace("\\r", "\r").replace("\\n", "\n").getBytes(StandardCharsets.ISO_8859_1)
                : HexFormat.of().parseHex(text);
    }

    private static byte[] withRequest(byte[] header) {
        ByteArrayOutputStream both = new ByteArrayOutputStream();
        both.writeBytes(header);
        both.writeBytes(GET.getBytes(StandardCharsets.US_ASCII));
        return both.toByteArray();
    }

    private String forwardedFor() {
        List<RawRequest> requests = stand.backend.requests();
        return requests.get(requests.size() - 1).fields().first("X-Forwarded-For");
    }

    private long told(String outcome) {
        return stand.sidecar().metrics().sum("remora_proxy_headers_total", "listener", "test", "outcome", outcome);
    }

    // ---- what they say

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "PROXY TCP4 203.0.113.7 192.0.2.1 51234 8080\\r\\n | 203.0.113.7",
                "PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535\\r\\n | 255.255.255.255",
                "PROXY TCP6 2001:db8::7 2001:db8::1 1 0\\r\\n | 2001:db8:0:0:0:0:0:7",
                "PROXY TCP6 ::ffff:203.0.113.7 ::1 1 2\\r\\n | 203.0.113.7",
                "PROXY UNKNOWN\\r\\n | 127.0.0.1",
                "PROXY UNKNOWN 203.0.113.7 whatever\\r\\n | 127.0.0.1",
                TCP4 + " | 203.0.113.7",
                // with a field behind the addresses, which is passed over
                SIGNATURE + "21110013" + "cb007107" + "c0000201" + "c8221f90" + "05000431323334 | 203.0.113.7",
                SIGNATURE + "21210024" + "20010db8000000000000000000000007" + "20010db8000000000000000000000001"
                        + "c8221f90 | 2001:db8:0:0:0:0:0:7",
                SIGNATURE + "21210024" + "00000000000000000000ffffcb007107" + "00000000000000000000ffffc0000201"
                        + "c8221f90 | 203.0.113.7",
                // a check by the proxy itself, with and without addresses
                SIGNATURE + "20000000 | 127.0.0.1",
                SIGNATURE + "2011000c" + "cb007107" + "c0000201" + "c8221f90 | 127.0.0.1",
                SIGNATURE + "21000000 | 127.0.0.1",
                SIGNATURE + "21000003" + "040000 | 127.0.0.1",
            })
    void areWhoTheClientIs(String header, String client) throws IOException {
        start(BELIEVED);
        try (RawClient raw = stand.client()) {
            assertThat(raw.send(withRequest(header(header))).response().status())
                    .isEqualTo(200);
            assertThat(forwardedFor()).isEqualTo(client);
            assertThat(raw.send(GET).response().status()).isEqualTo(200);
            assertThat(forwardedFor()).isEqualTo(client);
        }
        assertThat(log.line(1)).contains("\"client\":\"" + client + "\"");
        assertThat(told(client.equals("127.0.0.1") ? "own" : "taken")).isEqualTo(1);
        assertThat(told("refused")).isZero();
        stand.nothingFailed();
    }

    @Test
    void ofUnixSocketsAreThatOfTheConnection() throws IOException {
        start(BELIEVED);
        try (RawClient raw = stand.client()) {
            byte[] header = header(SIGNATURE + "213100d8" + "2f61".repeat(108));
            assertThat(raw.send(withRequest(header)).response().status()).isEqualTo(200);
            assertThat(forwardedFor()).isEqualTo("127.0.0.1");
        }
    }

    @Test
    void ofTheMostOctetsAreTaken() throws IOException {
        start(BELIEVED);
        try (RawClient raw = stand.client()) {
            // 16 octets, 12 of addresses, and a field of no meaning for the rest
            byte[] header = header(
                    SIGNATURE + "21110ff0" + "cb007107" + "c0000201" + "c8221f90" + "040fe1" + "00".repeat(4_065));
            assertThat(header).hasSize(4_096);
            assertThat(raw.send(withRequest(header)).response().status()).isEqualTo(200);
            assertThat(forwardedFor()).isEqualTo("203.0.113.7");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {LINE, TCP4, SIGNATURE + "21110013" + "cb007107" + "c0000201" + "c8221f90" + "05000431323334"})
    void mayComeInPieces(String header) throws IOException {
        start(BELIEVED);
        byte[] all = withRequest(header(header));
        for (int at = 1; at < header(header).length + 2; at++) {
            try (RawClient raw = stand.client()) {
                raw.sendSplit(all, at, stand.sidecar()::barrier);
                assertThat(raw.response().status()).isEqualTo(200);
                assertThat(forwardedFor()).isEqualTo("203.0.113.7");
            }
        }
        try (RawClient raw = stand.client()) {
            raw.sendOctetByOctet(all);
            assertThat(raw.response().status()).isEqualTo(200);
            assertThat(forwardedFor()).isEqualTo("203.0.113.7");
        }
    }

    @Test
    void areThePeerForTrust() throws IOException {
        start(BELIEVED + "\ntrust: { cidrs: [203.0.113.0/24] }");
        try (RawClient raw = stand.client()) {
            String request = GET.replace("\r\n\r\n", "\r\nX-Forwarded-For: 198.51.100.9\r\n\r\n");
            assertThat(raw.send(LINE + request).response().status()).isEqualTo(200);
            assertThat(forwardedFor()).isEqualTo("198.51.100.9, 203.0.113.7");
            assertThat(log.line(1)).contains("\"client\":\"198.51.100.9\"");
        }
    }

    // ---- what is none

    @ParameterizedTest
    @ValueSource(
            strings = {
                "PROXY TCP4 203.0.113.7 192.0.2.1 51234 8080\\n",
                "PROXY TCP4 203.0.113.7 192.0.2.1 51234\\r\\n",
                "PROXY TCP4 203.0.113.7 192.0.2.1 51234 8080 \\r\\n",
                "PROXY TCP4  203.0.113.7 192.0.2.1 51234 8080\\r\\n",
                "PROXY TCP4 203.0.113.07 192.0.2.1 51234 8080\\r\\n",
                "PROXY TCP4 203.0.113.256 192.0.2.1 51234 8080\\r\\n",
                "PROXY TCP4 203.0.113.7 192.0.2.1 051234 8080\\r\\n",
                "PROXY TCP4 203.0.113.7 192.0.2.1 65536 8080\\r\\n",
                "PROXY TCP4 203.0.113.7 192.0.2.1 -1 8080\\r\\n",
                "PROXY TCP4 2001:db8::7 2001:db8::1 1 2\\r\\n",
                "PROXY TCP6 203.0.113.7 192.0.2.1 1 2\\r\\n",
                "PROXY TCP6 fe80::1%eth0 ::1 1 2\\r\\n",
                "PROXY UDP4 203.0.113.7 192.0.2.1 1 2\\r\\n",
                "PROXY  UNKNOWN\\r\\n",
                "PROXY UNKNOWNS\\r\\n",
                "PROXX",
                "PROXY TCP4 a b c",
                "0d0a0d0a000d0a515549540b",
                "16030100",
                SIGNATURE + "1111000c" + "cb007107c0000201c8221f90",
                SIGNATURE + "2211000c" + "cb007107c0000201c8221f90",
                SIGNATURE + "2112000c" + "cb007107c0000201c8221f90",
                SIGNATURE + "2141000c" + "cb007107c0000201c8221f90",
                SIGNATURE + "2111000b" + "cb007107c0000201c8221f",
                SIGNATURE + "2121000c" + "cb007107c0000201c8221f90",
                SIGNATURE + "21110ff1",
                SIGNATURE + "2000ffff",
            })
    void closeTheConnectionWhereTheyAreWrong(String header) throws IOException {
        // not because their time is over, which is as long as this client waits
        start(BELIEVED + "\ntimeouts: { header-read: 1m }");
        // one that is not whole may be the beginning of one, until what comes behind it shows otherwise
        byte[] longer = header.startsWith("PROXY TCP4 a") ? header(header + "x".repeat(100)) : header(header);
        try (RawClient raw = stand.client()) {
            assertThat(raw.send(longer).closedByPeer()).isTrue();
        }
        assertThat(stand.backend.requests()).isEmpty();
        assertThat(told("refused")).isEqualTo(1);
    }

    @Test
    void areWantedOfWhoIsBelieved() throws IOException {
        start(BELIEVED + "\ntimeouts: { header-read: 1m }");
        try (RawClient raw = stand.client()) {
            assertThat(raw.send(GET).closedByPeer()).isTrue();
        }
        assertThat(stand.backend.connections()).isEmpty();
        assertThat(told("refused")).isEqualTo(1);
    }

    @Test
    void areNoneOfStrangers() throws IOException {
        start(STRANGER);
        try (RawClient raw = stand.client()) {
            assertThat(raw.send(GET).response().status()).isEqualTo(200);
            assertThat(forwardedFor()).isEqualTo("127.0.0.1");
        }
        for (String header : List.of(LINE, TCP4)) {
            try (RawClient raw = stand.client()) {
                assertThat(raw.send(withRequest(header(header))).response().status())
                        .isEqualTo(400);
                assertThat(raw.closedByPeer()).isTrue();
            }
        }
        assertThat(stand.backend.requests()).hasSize(1);
        assertThat(told("taken")).isZero();
    }

    @Test
    void comeOnce() throws IOException {
        start(BELIEVED);
        try (RawClient raw = stand.client()) {
            assertThat(raw.send(LINE + LINE + GET).response().status()).isEqualTo(400);
        }
        assertThat(stand.backend.requests()).isEmpty();
    }

    /** Nothing is not enough either: who says nothing holds a connection all the same. */
    @ParameterizedTest
    @ValueSource(strings = {"PROXY TCP4 203.0", ""})
    void areWaitedForAsLongAsAHead(String begun) throws IOException {
        start(BELIEVED + "\ntimeouts: { header-read: 300ms }");
        try (RawClient raw = stand.client()) {
            assertThat(raw.send(begun).closedByPeer()).isTrue();
        }
        Await.until("it is told", () -> told("refused") == 1);
        Await.until("a line", () -> logged().contains("its PROXY header has not come in time"));
    }

    @Test
    void ofProbesThatOnlyConnectAreNotMissed() throws IOException {
        start(BELIEVED);
        RawClient probe = stand.client();
        probe.shutdownOutput();
        assertThat(probe.closedByPeer()).isTrue();
        RawClient gone = stand.client();
        gone.reset();
        stand.sidecar().barrier();
        try (RawClient raw = stand.client()) {
            assertThat(raw.send(LINE + GET).response().status()).isEqualTo(200);
        }
        stand.nothingFailed();
        assertThat(told("refused")).isZero();
        assertThat(logged()).doesNotContain("closing a connection");
    }

    @Test
    void areMissedOfWhoLeavesInTheirMiddle() throws IOException {
        start(BELIEVED);
        try (RawClient raw = stand.client()) {
            assertThat(raw.send("PROXY TCP4").shutdownOutput().closedByPeer()).isTrue();
        }
        Await.until("it is told", () -> told("refused") == 1);
        Await.until("a line", () -> logged().contains("it has ended before its PROXY header"));
    }

    // ---- somebody else's

    @ParameterizedTest
    @ValueSource(strings = {"send-proxy", "send-proxy-v2", "send-proxy-v2 proxy-v2-options unique-id,crc32c"})
    void areThoseOfHaProxy(String words, @TempDir Path directory) throws IOException {
        assumeTrue(PeerProgram.HAPROXY.missing().isEmpty(), PeerProgram.HAPROXY.missing());
        start(BELIEVED);
        try (PeerServer before =
                        HaProxyPeer.before(directory, stand.sidecar().address().getPort(), words);
                RawClient client =
                        RawClient.connectFrom("127.0.0.2", new InetSocketAddress("127.0.0.1", before.port()))) {
            assertThat(client.send(GET).response().status()).isEqualTo(200);
            assertThat(forwardedFor()).as("the client, and not the proxy").isEqualTo("127.0.0.2");
            assertThat(told("taken")).isPositive();
            assertThat(told("refused")).isZero();
        }
    }
}
