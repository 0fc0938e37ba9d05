package io.remora.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The one spelling of a host. */
final class HostNameTest {
    private static String of(String authority) {
        return HostName.of(Octets.of(authority));
    }

    @ParameterizedTest
    @CsvSource({
        "a, a",
        "A.Test:80, a.test",
        "a.test., a.test",
        "a.test.:80, a.test",
        "a_b.x-1.test, a_b.x-1.test",
        "1a.test, 1a.test",
        "1.2.3.x4, 1.2.3.x4",
        "10.0.0.1, 10.0.0.1",
        "10.0.0.1.:1, 10.0.0.1",
        "[::1], 0:0:0:0:0:0:0:1",
        "[FD00:0::A]:80, fd00:0:0:0:0:0:0:a",
        "[::FFFF:10.0.0.1], 10.0.0.1",
        "[::ffff:0a00:0001], 10.0.0.1",
    })
    void hasOneSpelling(String authority, String host) {
        assertThat(of(authority)).isEqualTo(host);
        assertThat(HostName.isAddress(host)).isEqualTo(host.equals("10.0.0.1") || host.contains(":"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".",
                "..",
                ".a",
                "a..b",
                "a..",
                "-a",
                "a-",
                "a.-b",
                "a-.b",
                "a%2eb",
                "a~b",
                "a!b",
                "a$b",
                "a&b",
                "a'b",
                "(a)",
                "a*",
                "a+b",
                "a,b",
                "a;b",
                "a=b",
                "127.1",
                "2130706433",
                "0x7f000001",
                "0x7f.1",
                "a.0x1",
                "a.1",
                "01.2.3.4",
                "1.2.3.256",
                "1.2.3.4.5",
                "[v1.a]",
                "[::1%25lo]",
                "[1::2::3]",
                "[:]"
            })
    void isNothingElse(String authority) {
        assertThat(of(authority)).isNull();
    }

    @Test
    void isNotTooLong() {
        assertThat(of("a".repeat(63) + ".b")).isNotNull();
        assertThat(of("a".repeat(64) + ".b")).isNull();
        String most = ("a".repeat(49) + ".").repeat(5) + "bcd";
        assertThat(most).hasSize(253);
        assertThat(of(most)).isEqualTo(most);
        assertThat(of("x" + most)).isNull();
    }

    /** Whatever a client says, it is a name that can be put anywhere, or nothing. */
    @Test
    void isNeverMoreThanAName() {
        Random random = new Random(7);
        String letters = "abAB019.-_%/\\:;[]@*{}'\" \t\r\n\u0000xX~$..--";
        int names = 0;
        for (int i = 0; i < 200_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int length = 1 + random.nextInt(12); length > 0; length--) {
                text.append(letters.charAt(random.nextInt(letters.length())));
            }
            byte[] octets = text.toString().getBytes(StandardCharsets.ISO_8859_1);
            if (!Authority.isValid(octets, 0, octets.length)) {
                continue;
            }
            String host = of(text.toString());
            if (host != null && !HostName.isAddress(host)) {
                names++;
                assertThat(host).matches("[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*");
            }
        }
        assertThat(names).isGreaterThan(1_000);
    }

    @ParameterizedTest
    @CsvSource({"a, 7", "a:, 7", "a:0, 0", "a:80, 80", "a:00080, 80", "[::1], 7", "[::1]:65535, 65535"})
    void portsHaveADefault(String authority, int port) {
        assertThat(Authority.portOf(Octets.of(authority), 7)).isEqualTo(port);
    }
}
