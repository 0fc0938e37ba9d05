package io.remora.http2;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Inputs of {@link CodecFuzz} that its fuzzers begin with; those of found faults are added. Its main writes them into a
 * directory, one file each.
 */
public final class CodecSeeds {
    /** Each as {@link CodecScript} reads it: a role, then steps. */
    static final List<byte[]> ALL = List.of(
            // as the server: requests with and without content, padding, trailers, answers
            seed(0, 0, 0, 0, 1, 1, 1, 3, 0, 4, 1, 1, 20, 6, 1, 1, 20, 5, 1, 1, 0, 1, 0),
            seed(0, 0, 1, 2, 2, 0, 0, 10, 0, 3, 2, 2, 1, 4, 0, 16, 1, 1),
            // parts of a section, and a table that is used and changed
            seed(0, 3, 1, 3, 2, 0, 1, 2, 1, 2, 9, 0, 1, 5, 0, 5, 8, 1, 1, 0, 0, 0, 1, 16, 1, 1),
            // windows: small, used up, opened
            seed(0, 1, 1, 0, 8, 1, 4, 0, 0, 1, 0, 16, 1, 1, 17, 1, 100, 1, 10, 1, 1, 4, 4, 10, 0, 4, 9),
            seed(2, 1, 1, 0, 4, 1, 1, 210, 4, 1, 1),
            // resets of both sides, pings, priorities
            seed(0, 1, 1, 0, 9, 0, 9, 1, 7, 1, 8, 1, 2, 0, 19, 2, 11, 3, 1, 7, 12, 3, 0, 0, 5, 16),
            // as the client: answers, content, trailers, interim ones
            seed(1, 1, 1, 1, 5, 4, 1, 1, 20, 0),
            seed(1, 1, 2, 2, 2, 0, 1, 10, 0, 0, 2, 0, 13, 0, 0, 9, 1),
            seed(3, 1, 1, 0, 4, 1, 1, 210, 19, 3, 10, 0, 3, 9, 17, 1, 255, 1),
            seed(1, 8, 1, 4, 0, 0, 0, 0, 17, 1, 9, 1, 10, 1, 1, 4, 3),
            // more content behind an end that waits for a window
            seed(1, 8, 1, 4, 0, 0, 0, 0, 17, 1, 4, 0, 17, 1, 210, 1, 10, 1, 1, 4, 3),
            // a priority in error of a stream that begins later, and again
            seed(
                    1, 8, 0, 91, 196, 196, 196, 196, 196, 196, 58, 115, 116, 97, 116, 245, 0, 8, 0, 91, 196, 196, 196,
                    196, 196, 196, 58, 115, 116, 97));

    private CodecSeeds() {}

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
