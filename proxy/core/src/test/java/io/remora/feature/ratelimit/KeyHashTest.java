package io.remora.feature.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class KeyHashTest {
    private static final long SECRET_0 = 0x0706050403020100L;
    private static final long SECRET_1 = 0x0f0e0d0c0b0a0908L;

    private final KeyHash hash = new KeyHash(SECRET_0, SECRET_1);

    private static byte[] counting(int length) {
        byte[] octets = new byte[length];
        for (int i = 0; i < length; i++) {
            octets[i] = (byte) i;
        }
        return octets;
    }

    /** The values that the authors of SipHash have published. */
    @Test
    void isSipHash() {
        assertThat(hash.of(counting(15), 0, 15)).isEqualTo(0xa129ca6149be45e5L);
        assertThat(hash.of(counting(0), 0, 0)).isEqualTo(0x726fdb47dd0e0e31L);
        assertThat(hash.of(counting(8), 0, 8)).isEqualTo(0x93f5f5799a932462L);
    }

    @Test
    void takesTwoWordsForSixteenOctets() {
        assertThat(hash.of(SECRET_0, SECRET_1)).isEqualTo(hash.of(counting(16), 0, 16));
    }

    @Test
    void dependsOnTheSecret() {
        assertThat(new KeyHash(SECRET_0, 1).of(counting(15), 0, 15)).isNotEqualTo(hash.of(counting(15), 0, 15));
    }
}
