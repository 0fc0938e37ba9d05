package io.remora.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class IpAddressTest {
    private final IpAddress address = new IpAddress();

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, 0, ffff00000000",
        "10.1.2.3, 0, ffff0a010203",
        "255.255.255.255, 0, ffffffffffff",
        "::ffff:10.1.2.3, 0, ffff0a010203",
        "0:0:0:0:0:FFFF:0a01:203, 0, ffff0a010203",
        "::, 0, 0",
        "::1, 0, 1",
        "1::, 1000000000000, 0",
        "1:2:3:4:5:6:7:8, 1000200030004, 5000600070008",
        "1:2:3:4:5:6:7::, 1000200030004, 5000600070000",
        "::2:3:4:5:6:7:8, 200030004, 5000600070008",
        "1:2::7:8, 1000200000000, 70008",
        "1:2:3:4::8, 1000200030004, 8",
        "1::4:5:6:7:8, 1000000000004, 5000600070008",
        "fe80::ABCD, fe80000000000000, abcd",
        "64:ff9b::1.2.3.4, 64ff9b00000000, 1020304",
        "1:2:3:4:5:6:1.2.3.4, 1000200030004, 5000601020304",
        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, ffffffffffffffff, ffffffffffffffff",
    })
    void reads(String text, String high, String low) {
        assertThat(address.parse(text)).isTrue();
        assertThat(Long.toHexString(address.high())).isEqualTo(high);
        assertThat(Long.toHexString(address.low())).isEqualTo(low);
        assertThat(address.isV4()).isEqualTo(high.equals("0") && low.length() == 12);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "1.2.3",
                "1.2.3.4.5",
                "1.2.3.",
                ".1.2.3",
                "1..2.3",
                "01.2.3.4",
                "00.2.3.4",
                "1.2.3.256",
                "1.2.3.1000",
                "1.2.3.4294967297",
                "1.2.3.-4",
                "1.2.3.4 ",
                "0x1.2.3.4",
                "1.2.3.4/8",
                "1.2.3.4:80",
                "16909060",
                ":",
                ":1",
                "1:",
                ":::",
                "1:::2",
                "::1::",
                "1::2::3",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4:5:6:7:8::",
                "::1:2:3:4:5:6:7:8",
                "1:2:3:4::5:6:7:8",
                "12345::",
                "g::",
                "fe80::1%eth0",
                "[::1]",
                "::1.2.3",
                "::1.2.3.4.5",
                "::1.2.3.4:5",
                "1:2:3:4:5:6:7:1.2.3.4",
                "1.2.3.4::",
                "::ffff:10.1.2.03",
                "1:2:3:4:5:6:7:8 ",
                "\u0661.2.3.4",
                "1.2.3.\uff14",
                "0000:0000:0000:0000:0000:0000:255.255.255.2550",
                "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            })
    void refuses(String text) {
        assertThat(address.parse(text)).isFalse();
    }

    @Test
    void readsOnlyItsPartOfTheOctets() {
        byte[] octets = "x10.1.2.3:80".getBytes(StandardCharsets.US_ASCII);
        assertThat(address.parse(octets, 1, 9)).isTrue();
        assertThat(address.low()).isEqualTo(0xffff0a010203L);
        assertThat(address.parse(octets, 1, 8)).isFalse();
    }

    /** The JDK writes all eight groups; it reads what is written shorter. */
    @Test
    void readsWhatTheJdkReads() throws UnknownHostException {
        Random random = new Random(11);
        for (int i = 0; i < 20_000; i++) {
            byte[] octets = new byte[16];
            for (int j = 0; j < 16; j++) {
                octets[j] = random.nextInt(3) == 0 ? 0 : (byte) random.nextInt();
            }
            octets[0] |= 1;
            ByteBuffer number = ByteBuffer.wrap(octets);
            String text = InetAddress.getByAddress(octets).getHostAddress();
            String shorter = text.replaceFirst("(^|:)0(:0)+(:|$)", "::");
            for (String written : new String[] {text, shorter}) {
                assertThat(address.parse(written)).as(written).isTrue();
                assertThat(address.high()).as(written).isEqualTo(number.getLong(0));
                assertThat(address.low()).as(written).isEqualTo(number.getLong(8));
            }
        }
    }

    @Test
    void survivesAnything() {
        Random random = new Random(11);
        String characters = "0123456789abcdef::::....%/[] ";
        for (int i = 0; i < 200_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int length = random.nextInt(48); length > 0; length--) {
                text.append(characters.charAt(random.nextInt(characters.length())));
            }
            if (address.parse(text.toString())) {
                assertThat(text.toString()).matches("[0-9a-f:.]{2,45}");
            }
        }
    }
}
