package io.remora.http2.hpack;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The examples of RFC 7541 appendix C, each with what its dynamic table has afterwards. */
final class HpackVectorsTest {
    private static final String DATE21 = "date: Mon, 21 Oct 2013 20:13:21 GMT";
    private static final String DATE22 = "date: Mon, 21 Oct 2013 20:13:22 GMT";
    private static final String LOCATION = "location: https://www.example.com";
    private static final String COOKIE = "set-cookie: foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1";

    private HpackDecoder decoder = new HpackDecoder(4_096, 4_096);
    private final FieldSection section = new FieldSection();

    private List<String> decode(String hex) {
        assertThat(Lines.decode(decoder, Lines.block(hex), section)).as(hex).isNull();
        return Lines.of(section);
    }

    /** Returns what the table has, the newest line first. */
    private List<String> table() {
        List<String> lines = new ArrayList<>();
        int index = StaticTable.LENGTH + 1;
        while (Lines.decode(decoder, Unpooled.buffer().writeByte(0x80 | index), section) == null) {
            lines.addAll(Lines.of(section));
            index++;
        }
        return lines;
    }

    // C.1: the integers, as sizes of a table and as the length of a string
    @Test
    void integers() {
        assertThat(decode("2a")).isEmpty();
        assertThat(decode("3f9a0a")).isEmpty();
        assertThat(decode("04 2a" + "61".repeat(42))).containsExactly(":path: " + "a".repeat(42));
        HpackEncoder encoder = new HpackEncoder(4_096);
        HeaderBlock out = Lines.toWrite();
        encoder.peerTableOctets(10);
        encoder.begin(out);
        assertThat(ByteBufUtil.hexDump(Lines.octets(out))).isEqualTo("2a");
        out.clear(6);
        encoder.peerTableOctets(1_337);
        encoder.begin(out);
        assertThat(ByteBufUtil.hexDump(Lines.octets(out))).isEqualTo("3f9a0a");
    }

    // C.2
    @Test
    void singleLines() {
        assertThat(decode("400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572"))
                .containsExactly("custom-key: custom-header");
        assertThat(table()).containsExactly("custom-key: custom-header");

        decoder = new HpackDecoder(4_096, 4_096);
        assertThat(decode("040c 2f73 616d 706c 652f 7061 7468")).containsExactly(":path: /sample/path");
        assertThat(table()).isEmpty();

        assertThat(decode("1008 7061 7373 776f 7264 0673 6563 7265 74")).containsExactly("password: secret");
        assertThat(table()).isEmpty();

        assertThat(decode("82")).containsExactly(":method: GET");
        assertThat(table()).isEmpty();
    }

    // C.3
    @Test
    void requests() {
        requests(
                "8286 8441 0f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
                "8286 84be 5808 6e6f 2d63 6163 6865",
                "8287 85bf 400a 6375 7374 6f6d 2d6b 6579 0c63 7573 746f 6d2d 7661 6c75 65");
    }

    // C.4
    @Test
    void requestsInHuffmansCode() {
        requests(
                "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff",
                "8286 84be 5886 a8eb 1064 9cbf",
                "8287 85bf 4088 25a8 49e9 5ba9 7d7f 8925 a849 e95b b8e8 b4bf");
    }

    private void requests(String first, String second, String third) {
        String authority = ":authority: www.example.com";
        assertThat(decode(first)).containsExactly(":method: GET", ":scheme: http", ":path: /", authority);
        assertThat(table()).containsExactly(authority);
        assertThat(decode(second))
                .containsExactly(":method: GET", ":scheme: http", ":path: /", authority, "cache-control: no-cache");
        assertThat(table()).containsExactly("cache-control: no-cache", authority);
        assertThat(decode(third))
                .containsExactly(
                        ":method: GET", ":scheme: https", ":path: /index.html", authority, "custom-key: custom-value");
        assertThat(table()).containsExactly("custom-key: custom-value", "cache-control: no-cache", authority);
    }

    // C.5
    @Test
    void responses() {
        responses(
                "4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 "
                        + "3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d",
                "4803 3330 37c1 c0bf",
                "88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 "
                        + "7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d "
                        + "6178 2d61 6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31");
    }

    // C.6
    @Test
    void responsesInHuffmansCode() {
        responses(
                "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e 919d 29ad "
                        + "1718 63c7 8f0b 97c8 e9ae 82ae 43d3",
                "4883 640e ffc1 c0bf",
                "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d d7f2 "
                        + "e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 "
                        + "3d50 07");
    }

    // in a table of 256 octets, which evicts
    private void responses(String first, String second, String third) {
        decoder = new HpackDecoder(256, 4_096);
        assertThat(decode(first)).containsExactly(":status: 302", "cache-control: private", DATE21, LOCATION);
        assertThat(table()).containsExactly(LOCATION, DATE21, "cache-control: private", ":status: 302");
        assertThat(decode(second)).containsExactly(":status: 307", "cache-control: private", DATE21, LOCATION);
        assertThat(table()).containsExactly(":status: 307", LOCATION, DATE21, "cache-control: private");
        assertThat(decode(third))
                .containsExactly(
                        ":status: 200", "cache-control: private", DATE22, LOCATION, "content-encoding: gzip", COOKIE);
        assertThat(table()).containsExactly(COOKIE, "content-encoding: gzip", DATE22);
    }
}
