package io.remora.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.Random;

/**
 * Octets that look random and are known at every offset, so that a body of any size can be made and checked on its way.
 */
public final class Pattern {
    /** A prime, so that no buffer, chunk or window repeats with it. */
    private static final int PERIOD = 65_521;

    private static final byte[] OCTETS = octets();

    /** Where octets go. */
    @FunctionalInterface
    public interface Sink {
        void write(byte[] octets) throws IOException;
    }

    /** Octets that are not the pattern's. */
    public static final class Mismatch extends IOException {
        private static final long serialVersionUID = 1;

        Mismatch(String message) {
            super(message);
        }
    }

    private Pattern() {}

    private static byte[] octets() {
        byte[] octets = new byte[PERIOD];
        new Random(1).nextBytes(octets);
        return octets;
    }

    public static void write(Sink sink, long length) throws IOException {
        for (long left = length; left > 0; left -= PERIOD) {
            sink.write(left < PERIOD ? Arrays.copyOf(OCTETS, (int) left) : OCTETS);
        }
    }

    /** As much of it as the peer takes; true if that is all. */
    public static boolean tryWrite(RawClient client, long length) {
        try {
            write(client::send, length);
            return true;
        } catch (IOException closedMeanwhile) {
            return false;
        }
    }

    /** In chunks that do not keep to the period, with an extension here and there, and a trailer section. */
    public static void writeChunked(Sink sink, long length, String trailers) throws IOException {
        for (long left = length; left > 0; left -= PERIOD) {
            int size = (int) Math.min(left, PERIOD);
            sink.write(Wire.bytes(Integer.toHexString(size) + (left % 3 == 0 ? ";a=b\r\n" : "\r\n")));
            sink.write(size < PERIOD ? Arrays.copyOf(OCTETS, size) : OCTETS);
            sink.write(Wire.bytes("\r\n"));
        }
        sink.write(Wire.bytes("0\r\n" + trailers + "\r\n"));
    }

    public static void check(InputStream in, long length) throws IOException {
        byte[] buffer = new byte[64 * 1024];
        for (long at = 0; at < length; ) {
            int count = in.read(buffer, 0, (int) Math.min(buffer.length, length - at));
            if (count < 0) {
                throw new EOFException("end at " + at + " of " + length);
            }
            check(buffer, count, at);
            at += count;
        }
    }

    private static void check(byte[] buffer, int count, long at) throws Mismatch {
        int from = (int) (at % PERIOD);
        for (int done = 0; done < count; ) {
            int run = Math.min(count - done, PERIOD - from);
            if (!Arrays.equals(buffer, done, done + run, OCTETS, from, from + run)) {
                throw new Mismatch("another octet between " + (at + done) + " and " + (at + done + run));
            }
            done += run;
            from = 0;
        }
    }

    /** Returns the trailer section. */
    public static String checkChunked(InputStream in, long length) throws IOException {
        Chunks chunks = new Chunks(in);
        check(chunks, length);
        assertThat(chunks.read()).as("behind the body").isEqualTo(-1);
        return chunks.trailers();
    }

    /** The content of a chunked body. */
    private static final class Chunks extends InputStream {
        private final InputStream in;
        private long left;
        private boolean ended;

        Chunks(InputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (left == 0 && !ended) {
                left = Long.parseLong(line(), 16);
                ended = left == 0;
            }
            if (ended) {
                return -1;
            }
            int count = in.read(into, offset, (int) Math.min(length, left));
            left -= Math.max(count, 0);
            if (left == 0 && !line().isEmpty()) {
                throw new Mismatch("behind a chunk");
            }
            return count;
        }

        String trailers() throws IOException {
            StringBuilder trailers = new StringBuilder();
            for (String line = line(); !line.isEmpty(); line = line()) {
                trailers.append(line).append("\r\n");
            }
            return trailers.toString();
        }

        private String line() throws IOException {
            StringBuilder line = new StringBuilder();
            for (int octet = in.read(); octet != '\n'; octet = in.read()) {
                if (octet < 0) {
                    throw new EOFException("end within a line");
                }
                line.append((char) octet);
            }
            assertThat(line).endsWith("\r");
            return line.substring(0, line.length() - 1);
        }
    }
}
