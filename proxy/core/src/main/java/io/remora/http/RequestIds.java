package io.remora.http;

import io.remora.config.model.HeaderPolicy.RequestIdMode;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Gives a request an X-Request-Id where it has none.
 *
 * <p>Owner: one event loop. An id is unique, not secret: the generator is seeded from the system's entropy but can be
 * guessed from its output.
 *
 * <p>Spec: the ULID specification (48 bits of milliseconds, 80 random, Crockford's base 32); RFC 9562 section 5.4 for
 * UUID v4.
 */
public final class RequestIds {
    private static final String BASE32 = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    private static final String HEX = "0123456789abcdef";

    private static final int ULID_OCTETS = 26;
    private static final int UUID_OCTETS = 36;

    /** Null for the system's clock. */
    private final @Nullable LongSupplier epochMs;

    private final SplittableRandom random;
    /** The array that each id is made in. */
    private final byte[] text = new byte[UUID_OCTETS];

    /**
     * @param epochMs the time, null for that of the system
     */
    public RequestIds(@Nullable LongSupplier epochMs, long seed) {
        this.epochMs = epochMs;
        this.random = new SplittableRandom(seed);
    }

    /** Edits the request's fields in place and returns the id it then has, null where it has none. */
    public @Nullable String apply(RequestHead head, RequestIdMode mode) {
        int first = head.fields.indexOf(FieldName.X_REQUEST_ID, 0);
        String told = head.fields.get(FieldName.X_REQUEST_ID);
        if (told != null) {
            if (mode != RequestIdMode.OFF && head.fields.indexOf(FieldName.X_REQUEST_ID, first + 1) >= 0) {
                // the backend may take another one of them than the log
                head.fields.set(FieldName.X_REQUEST_ID, told);
            }
            return told;
        }
        if (mode == RequestIdMode.OFF) {
            return null;
        }
        String id = mode == RequestIdMode.ULID ? ulid() : uuid();
        head.fields.add(FieldName.X_REQUEST_ID, id);
        return id;
    }

    /** A name for a process, {@code remora-} and six characters of {@code seed}. */
    public static String pseudonym(long seed) {
        byte[] text = new byte[6];
        base32(text, 0, text.length, seed);
        return "remora-" + Octets.text(text, 0, text.length);
    }

    String ulid() {
        base32(text, 0, 10, epochMs == null ? System.currentTimeMillis() : epochMs.getAsLong());
        base32(text, 10, 18, random.nextLong());
        base32(text, 18, ULID_OCTETS, random.nextLong());
        return Octets.text(text, 0, ULID_OCTETS);
    }

    private static void base32(byte[] text, int from, int to, long bits) {
        long rest = bits;
        for (int i = to - 1; i >= from; i--) {
            text[i] = (byte) BASE32.charAt((int) (rest & 31));
            rest >>>= 5;
        }
    }

    String uuid() {
        long high = (random.nextLong() & ~0xF000L) | 0x4000L;
        long low = (random.nextLong() >>> 2) | 0x8000000000000000L;
        int at = 0;
        for (int digit = 0; digit < 32; digit++) {
            if (at == 8 || at == 13 || at == 18 || at == 23) {
                text[at++] = '-';
            }
            long half = digit < 16 ? high : low;
            text[at++] = (byte) HEX.charAt((int) (half >>> (60 - (digit & 15) * 4)) & 15);
        }
        return Octets.text(text, 0, UUID_OCTETS);
    }
}
