package io.remora.http2.hpack;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The octets that the encoder writes. */
final class HpackEncoderTest {
    private HpackEncoder encoder = new HpackEncoder(4_096);

    private String line(String name, String value, boolean never) {
        HeaderBlock out = Lines.toWrite();
        encoder.line(out, Lines.octets(name), Lines.octets(value), never);
        return ByteBufUtil.hexDump(Lines.octets(out));
    }

    private String line(String name, String value) {
        return line(name, value, false);
    }

    private String begin() {
        HeaderBlock out = Lines.toWrite();
        encoder.begin(out);
        return ByteBufUtil.hexDump(Lines.octets(out));
    }

    @ParameterizedTest
    @CsvSource({
        ":method, GET, 82",
        ":method, POST, 83",
        ":path, /index.html, 85",
        ":scheme, https, 87",
        ":status, 200, 88",
        ":status, 500, 8e",
        "accept-encoding, 'gzip, deflate', 90",
        "Accept-Encoding, 'gzip, deflate', 90",
        "accept, '', 93",
        "www-authenticate, '', bd"
    })
    void wholeLinesOfTheStaticTable(String name, String value, String hex) {
        assertThat(line(name, value)).isEqualTo(hex);
    }

    @Test
    void namesThatAreSecretAreNeverIndexed() {
        encoder = new HpackEncoder(4_096, List.of("x~", "etag"));
        for (int i = 0; i < 3; i++) {
            assertThat(line("X~", "1")).isEqualTo("1002787e0131");
            assertThat(line("etag", "~~")).isEqualTo("1f13027e7e");
        }
        assertThat(line("x", "~~")).isEqualTo("000178027e7e");
        assertThat(line("x~~", "1")).isEqualTo("0003787e7e0131");
    }

    /** A first time is no reason to keep a line: most of what is unique is never repeated. */
    @Test
    void theSecondTimeKeepsALineAndTheThirdNamesIt() {
        assertThat(line("server", "~~")).isEqualTo("0f27027e7e");
        assertThat(line("server", "~~")).isEqualTo("76027e7e");
        assertThat(line("Server", "~~")).isEqualTo("be");
        // a name of the table's with another value
        assertThat(line("x~", "1")).isEqualTo("0002787e0131");
        assertThat(line("x~", "1")).isEqualTo("4002787e0131");
        assertThat(line("x~", "2")).isEqualTo("0f2f0132");
        assertThat(line("server", "~~")).isEqualTo("bf");
    }

    @ParameterizedTest
    @ValueSource(strings = {"authorization", "cookie", "proxy-authorization", "set-cookie", "Cookie"})
    void secretsAreNeverIndexed(String name) {
        for (int times = 0; times < 3; times++) {
            assertThat(Integer.parseInt(line(name, "a=b").substring(0, 2), 16) & 0xf0)
                    .isEqualTo(0x10);
        }
        assertThat(line("x-repeated", "c")).startsWith("00");
        assertThat(line("x-repeated", "c")).startsWith("40");
        assertThat(line("x-repeated", "c")).isEqualTo("be");
    }

    @Test
    void norIsWhatTheCallerSays() {
        assertThat(line("x-api-key", "k", true)).startsWith("10");
        assertThat(line("x-api-key", "k", true)).startsWith("10");
        assertThat(line(":method", "GET", true)).isEqualTo("1203474554");
    }

    @Test
    void namesInLowerCase() {
        assertThat(line("X~", "A")).isEqualTo("0002787e0141");
        // in Huffman's code
        assertThat(line("CUSTOM-KEY", "~")).isEqualTo("008825a849e95ba97d7f017e");
    }

    // ---- the table's size

    @Test
    void withoutATableNothingIsKept() {
        encoder = new HpackEncoder(0);
        encoder.peerTableOctets(65_536);
        assertThat(begin()).isEqualTo("20");
        assertThat(begin()).isEmpty();
        assertThat(line("server", "~~")).isEqualTo("0f27027e7e");
        assertThat(line("server", "~~")).isEqualTo("0f27027e7e");
    }

    @Test
    void withoutATableStringsAreAsTheyAre() {
        assertThat(line("CUSTOM-KEY", "~")).isEqualTo("008825a849e95ba97d7f017e");
        encoder = new HpackEncoder(0);
        assertThat(line("CUSTOM-KEY", "AAAA")).isEqualTo("000a637573746f6d2d6b65790441414141");
        assertThat(line("authorization", "AAAA")).isEqualTo("1f080441414141");
    }

    @Test
    void aSizeIsToldOnce() {
        assertThat(begin()).isEmpty();
        encoder = new HpackEncoder(1_024);
        assertThat(begin()).isEqualTo("3fe107");
        assertThat(begin()).isEmpty();
        encoder.peerTableOctets(4_096);
        assertThat(begin()).isEmpty();
        encoder.peerTableOctets(0);
        encoder.peerTableOctets(100);
        assertThat(begin()).isEqualTo("203f45");
        // smaller in between, since a block announces it before the larger size (RFC 7541 4.2)
        encoder.peerTableOctets(50);
        encoder.peerTableOctets(60);
        encoder.peerTableOctets(0xffffffffL);
        assertThat(begin()).isEqualTo("3f133fe107");
    }

    @Test
    void aSmallerTableForgets() {
        assertThat(line("server", "~~") + line("server", "~~") + line("server", "~~"))
                .endsWith("be");
        encoder.peerTableOctets(0);
        encoder.peerTableOctets(4_096);
        assertThat(begin()).isEqualTo("203fe11f");
        assertThat(line("server", "~~")).isEqualTo("76027e7e");
    }

    @Test
    void aLineLargerThanTheTableIsNotKept() {
        encoder = new HpackEncoder(39);
        for (int times = 0; times < 3; times++) {
            assertThat(line("server", "~~")).isEqualTo("0f27027e7e");
        }
        encoder = new HpackEncoder(40);
        assertThat(line("server", "~~") + line("server", "~~") + line("server", "~~"))
                .endsWith("be");
    }
}
