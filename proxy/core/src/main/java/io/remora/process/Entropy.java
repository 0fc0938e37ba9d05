package io.remora.process;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The kernel's randomness, without the JDK's security providers: they load some hundred classes. */
public final class Entropy {
    private static final String SOURCE = "/dev/urandom";

    private Entropy() {}

    /**
     * Returns random octets as hexadecimal digits.
     *
     * @throws IOException where the kernel gives none
     */
    public static String hex(int octets) throws IOException {
        try (InputStream source = new FileInputStream(SOURCE)) {
            byte[] random = source.readNBytes(octets);
            if (random.length < octets) {
                throw new IOException(SOURCE + " has ended");
            }
            StringBuilder text = new StringBuilder(2 * octets);
            for (byte octet : random) {
                text.append(Character.forDigit(octet >> 4 & 15, 16)).append(Character.forDigit(octet & 15, 16));
            }
            return text.toString();
        }
    }

    /** Eight random bytes; where the kernel gives none, the clock's. */
    public static long seed() {
        try (InputStream source = new FileInputStream(SOURCE)) {
            long seed = 0;
            for (byte octet : source.readNBytes(Long.BYTES)) {
                seed = seed << 8 | octet & 0xff;
            }
            return seed;
        } catch (IOException e) {
            return System.nanoTime() ^ System.currentTimeMillis() << 20;
        }
    }
}
