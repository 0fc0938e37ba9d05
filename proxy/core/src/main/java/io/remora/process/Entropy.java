package io.remora.process;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;

/** The kernel's randomness, without the JDK's security providers: they load some hundred classes. */
public final class Entropy {
    private static final String SOURCE = "/dev/urandom";

    private Entropy() {}

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
