package io.remora.trust;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.text.IpAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CidrsTest {
    private static boolean contains(List<String> cidrs, String text) {
        IpAddress address = new IpAddress();
        assertThat(address.parse(text)).as(text).isTrue();
        return new Cidrs(cidrs).contain(address);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.0.0.0, true",
        "10.0.0.0/8, 10.255.255.255, true",
        "10.0.0.0/8, 11.0.0.0, false",
        "10.0.0.0/8, 9.255.255.255, false",
        "10.0.0.0/8, ::ffff:10.1.2.3, true",
        "10.0.0.0/8, ::10.1.2.3, false",
        "10.0.0.0/8, a00::, false",
        "10.1.2.3, 10.1.2.3, true",
        "10.1.2.3, 10.1.2.2, false",
        "10.1.2.2/31, 10.1.2.3, true",
        "10.1.2.2/31, 10.1.2.4, false",
        "10.1.2.3/32, 10.1.2.3, true",
        "0.0.0.0/0, 255.255.255.255, true",
        "0.0.0.0/0, ::1, false",
        "128.0.0.0/1, 128.0.0.1, true",
        "128.0.0.0/1, 127.255.255.255, false",
        "::/0, ::1, true",
        "::/0, ffff::, true",
        "::/0, 10.0.0.1, false",
        "::ffff:10.0.0.0/104, 10.9.9.9, true",
        "::ffff:10.0.0.0/104, 11.9.9.9, false",
        "::1, ::1, true",
        "::1, ::2, false",
        "fd00::/8, fd12:3456::1, true",
        "fd00::/8, fe00::, false",
        "2001:db8::/64, 2001:db8::ffff:ffff:ffff:ffff, true",
        "2001:db8::/64, 2001:db8:0:1::, false",
        "2001:db8::/65, 2001:db8::7fff:ffff:ffff:ffff, true",
        "2001:db8::/65, 2001:db8::8000:0:0:0, false",
        "2001:db8::/63, 2001:db8:0:1::, true",
    })
    void containsWhatIsInTheNetwork(String cidr, String address, boolean inside) {
        assertThat(contains(List.of(cidr), address)).isEqualTo(inside);
    }

    @Test
    void anyOfThemWillDo() {
        List<String> cidrs = List.of("10.0.0.0/8", "fd00::/8", "192.168.1.1");
        assertThat(contains(cidrs, "10.1.1.1")).isTrue();
        assertThat(contains(cidrs, "fd00::1")).isTrue();
        assertThat(contains(cidrs, "192.168.1.1")).isTrue();
        assertThat(contains(cidrs, "192.168.1.2")).isFalse();
        assertThat(contains(List.of(), "10.1.1.1")).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.0.0.0/8, true",
        "10.0.0.0/8, 10.1.0.0/16, true",
        "10.1.0.0/16, 10.0.0.0/8, true",
        "10.1.2.3, 10.0.0.0/8, true",
        "10.0.0.0/8, 11.0.0.0/8, false",
        "10.0.0.0/9, 10.128.0.0/9, false",
        "0.0.0.0/0, 203.0.113.1, true",
        "::/0, fd00::/8, true",
        "fd00::/8, ::/0, true",
        "fd00::/8, fe00::/8, false",
        "::/0, 10.0.0.0/8, false",
        "10.0.0.0/8, ::/0, false",
        "::/0, ::1, true",
        "::ffff:10.0.0.0/104, 10.9.9.9, true",
    })
    void knowsWhetherTwoOverlap(String one, String other, boolean overlap) {
        assertThat(new Cidrs(List.of(one)).overlap(new Cidrs(List.of(other)))).isEqualTo(overlap);
        assertThat(new Cidrs(List.of("198.18.0.1", one)).overlap(new Cidrs(List.of(other))))
                .as("beside another one")
                .isEqualTo(overlap);
        assertThat(new Cidrs(List.of()).overlap(new Cidrs(List.of(other)))).isFalse();
    }
}
