package io.remora.admin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class HostCheckTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "localhost",
                "LocalHost:9990",
                "127.0.0.1",
                "127.0.0.1:9990",
                "10.1.2.3:1",
                "[::1]",
                "[::1]:9990",
                "[fe80::1]:80",
                "127.0.0.1:",
            })
    void anAddressOrLocalhost(String host) {
        assertThat(HostCheck.addressOrLocalhost(host)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                ":9990",
                "evil.example",
                "evil.example:9990",
                "localhost.evil.example",
                "127.0.0.1.nip.io",
                "127.0.0.1@evil.example",
                "127.0.0.1:80:80",
                "127.1",
                "0x7f.0.0.1",
                "2130706433",
                "127.0.0.256",
                "::1",
                "[::1",
                "::1]",
                "[evil]",
                "[::1%25eth0]",
                "[127.0.0.1]",
                "localhost:99a",
                "localhost:999999",
                "local host",
                "127.0.0.1, evil.example",
                "[::1].evil.example",
                "evil[::1]",
            })
    void anythingElse(String host) {
        assertThat(HostCheck.addressOrLocalhost(host)).isFalse();
    }
}
