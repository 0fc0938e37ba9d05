package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One client has one key, whichever way its address is written. */
final class ClientKeysTest {
    private final ClientKeys keys = new ClientKeys();

    @ParameterizedTest
    @ValueSource(strings = {"203.0.113.7", "::ffff:203.0.113.7", "::FFFF:cb00:7107", "0:0:0:0:0:ffff:203.0.113.7"})
    void anIpv4AddressIsTheSameWhereItIsMapped(String text) {
        assertThat(keys.of(text)).isEqualTo("203.0.113.7");
    }

    @Test
    void ipv6AddressesCountByTheirNetwork() {
        assertThat(keys.of("2001:db8::7")).isEqualTo(keys.of("2001:db8:0:0:1::8"));
        assertThat(keys.of("2001:db8::7")).isNotEqualTo(keys.of("2001:db8:0:1::7"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"spiffe://cluster/ns/a", "::ffff:1.2.3", "a:b", "app"})
    void anythingElseIsItsOwnKey(String text) {
        assertThat(keys.of(text)).isEqualTo(text);
    }
}
