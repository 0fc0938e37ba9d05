package io.remora.balance;

/**
 * A hash of octets and of names: the same in each process, so that sidecars agree. FNV-1a with a finish that spreads it.
 * Pure functions.
 *
 * <p>Clients choose what is hashed and can find octets that collide; the bound on load is what keeps them from loading one
 * endpoint.
 */
public final class Hash {
    private static final long BASIS = 0xCBF29CE484222325L;
    private static final long PRIME = 0x100000001B3L;

    private Hash() {}

    public static long of(byte[] octets, int from, int to) {
        long hash = BASIS;
        for (int i = from; i < to; i++) {
            hash = (hash ^ octets[i] & 0xff) * PRIME;
        }
        return Draw.mix(hash);
    }

    /** Returns the hash of a text of one octet a character. */
    public static long of(String text) {
        long hash = BASIS;
        for (int i = 0; i < text.length(); i++) {
            hash = (hash ^ text.charAt(i) & 0xff) * PRIME;
        }
        return Draw.mix(hash);
    }
}
