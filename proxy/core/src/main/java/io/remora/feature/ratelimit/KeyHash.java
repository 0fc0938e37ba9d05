package io.remora.feature.ratelimit;

/**
 * A keyed hash of values that clients choose, SipHash-2-4. Its secret keeps clients from finding two keys with the same
 * hash.
 *
 * <p>Owner: one thread. Cost: no allocation. Spec: Aumasson and Bernstein, SipHash: a fast short-input PRF, 2012.
 */
final class KeyHash {
    private final long secret0;
    private final long secret1;
    private long v0;
    private long v1;
    private long v2;
    private long v3;

    KeyHash(long secret0, long secret1) {
        this.secret0 = secret0;
        this.secret1 = secret1;
    }

    long of(byte[] octets, int from, int to) {
        begin();
        int at = from;
        for (; at + Long.BYTES <= to; at += Long.BYTES) {
            word(word(octets, at, Long.BYTES));
        }
        word(word(octets, at, to - at) | (long) (to - from) << 56);
        return end();
    }

    /** Returns the hash of two words, as of sixteen octets. */
    long of(long high, long low) {
        begin();
        word(high);
        word(low);
        word((long) (2 * Long.BYTES) << 56);
        return end();
    }

    private static long word(byte[] octets, int from, int count) {
        long word = 0;
        for (int i = 0; i < count; i++) {
            word |= (octets[from + i] & 0xffL) << 8 * i;
        }
        return word;
    }

    private void begin() {
        v0 = secret0 ^ 0x736f6d6570736575L;
        v1 = secret1 ^ 0x646f72616e646f6dL;
        v2 = secret0 ^ 0x6c7967656e657261L;
        v3 = secret1 ^ 0x7465646279746573L;
    }

    private void word(long word) {
        v3 ^= word;
        round();
        round();
        v0 ^= word;
    }

    private long end() {
        v2 ^= 0xff;
        round();
        round();
        round();
        round();
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private void round() {
        v0 += v1;
        v1 = Long.rotateLeft(v1, 13) ^ v0;
        v0 = Long.rotateLeft(v0, 32);
        v2 += v3;
        v3 = Long.rotateLeft(v3, 16) ^ v2;
        v0 += v3;
        v3 = Long.rotateLeft(v3, 21) ^ v0;
        v2 += v1;
        v1 = Long.rotateLeft(v1, 17) ^ v2;
        v2 = Long.rotateLeft(v2, 32);
    }
}
