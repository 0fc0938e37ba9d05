package io.remora.http2;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What fuzzers begin with; found faults are added. Its main writes them into a directory, one file each. */
public final class FrameSeeds {
    /** Each as {@link FrameScript} reads it: a manner of the backend, then frames. */
    static final List<byte[]> ALL = List.of(
            seed(0, 0, 0, 0, 0),
            seed(0, 0, 0, 0, 0, 0, 1, 0, 0),
            // content in two pieces, padded, and trailers
            seed(0, 1, 0, 0, 0, 4, 0, 0, 3, 'a', 'b', 'c', 4, 0, 8, 2, 'd', 'e', 9, 2, 0, 1, 1, 21, 5, 0),
            // a length that is right, and one that is not
            seed(0, 1, 0, 1, 5, 15, 0, 4, 0, 1, 5, 'h', 'e', 'l', 'l', 'o'),
            seed(1, 1, 0, 1, 5, 15, 0, 4, 0, 1, 9, 'h', 'e', 'l', 'l', 'o', 'G', 'E', 'T', ' '),
            // in manners: an early answer, one in parts, the last one
            seed(1, 1, 1, 0, 0, 15, 4, 1, 1, 1, 'a'),
            seed(2, 0, 0, 1, 8, 21, 0, 0, 1, 0, 0),
            seed(3, 0, 0, 0, 0, 15, 0, 1, 0, 0),
            // a head that goes on, resets, windows, settings
            seed(0, 0, 0, 0, 7, 6, 4, 0, 0),
            seed(0, 1, 0, 0, 0, 7, 0, 8, 0, 1, 0, 0),
            seed(0, 8, 1, 1, 2, 4, 0, 0, 0, 1, 3, 0, 0, 0, 1, 0, 0, 0, 0, 10, 1, 0, 0, 0, 0, 9),
            seed(0, 13, 0, 1, 0, 4, 'a', 'b', 'c', 'd', 14, 3, 0, 0, 9));

    private FrameSeeds() {}

    private static byte[] seed(int... octets) {
        byte[] seed = new byte[octets.length];
        for (int i = 0; i < octets.length; i++) {
            seed[i] = (byte) octets[i];
        }
        return seed;
    }

    public static void main(String[] arguments) throws IOException {
        for (int i = 0; i < ALL.size(); i++) {
            Files.write(Path.of(arguments[0], Integer.toString(i)), ALL.get(i));
        }
    }
}
