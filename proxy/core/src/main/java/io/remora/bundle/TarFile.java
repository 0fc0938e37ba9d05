package io.remora.bundle;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;

/** Writer of a tar archive with gzip around it, whose files have mode 0600. Spec: POSIX.1-2017, pax, "ustar". */
final class TarFile implements AutoCloseable {
    private static final int BLOCK = 512;
    private static final int MODE_AT = 100;
    private static final int SIZE_AT = 124;
    private static final int TIME_AT = 136;
    private static final int SUM_AT = 148;
    private static final int TYPE_AT = 156;
    private static final int MAGIC_AT = 257;
    private static final int OCTAL = 7;

    private final GZIPOutputStream out;
    private final long epochSeconds;

    /**
     * @param under not closed by this
     */
    TarFile(OutputStream under, long epochSeconds) throws IOException {
        this.out = new GZIPOutputStream(under);
        this.epochSeconds = epochSeconds;
    }

    /**
     * Adds a file.
     *
     * @param name of at most 100 characters, in ASCII
     */
    void add(String name, byte[] content) throws IOException {
        byte[] head = new byte[BLOCK];
        put(head, 0, name);
        put(head, MODE_AT, "0000600");
        put(head, MODE_AT + 8, "0000000");
        put(head, MODE_AT + 16, "0000000");
        octal(head, SIZE_AT, 11, content.length);
        octal(head, TIME_AT, 11, epochSeconds);
        put(head, SUM_AT, "        ");
        head[TYPE_AT] = '0';
        put(head, MAGIC_AT, "ustar\u000000");
        int sum = 0;
        for (byte octet : head) {
            sum += octet & 0xff;
        }
        octal(head, SUM_AT, 6, sum);
        head[SUM_AT + OCTAL - 1] = 0;
        out.write(head);
        out.write(content);
        out.write(new byte[(BLOCK - content.length % BLOCK) % BLOCK]);
    }

    private static void put(byte[] head, int at, String text) {
        byte[] octets = text.getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(octets, 0, head, at, octets.length);
    }

    private static void octal(byte[] head, int at, int digits, long number) {
        long left = number;
        for (int i = digits - 1; i >= 0; i--) {
            head[at + i] = (byte) ('0' + (left & OCTAL));
            left >>= 3;
        }
    }

    @Override
    public void close() throws IOException {
        out.write(new byte[2 * BLOCK]);
        out.finish();
    }
}
