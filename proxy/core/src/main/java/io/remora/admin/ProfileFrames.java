package io.remora.admin;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/**
 * A profile in frames, with its progress between them: a line {@code progress SECONDS OF SAMPLES}, or {@code data LENGTH} and
 * as many bytes of the profile, and at its end {@code end}. A body without the last line is not whole.
 *
 * <p>Owner: one thread. Bounds: {@value #ROOM} bytes a frame.
 */
final class ProfileFrames extends OutputStream {
    static final String CONTENT_TYPE = "application/octet-stream";

    private static final int ROOM = 8 << 10;

    private final OutputStream out;
    private final byte[] held = new byte[ROOM];
    private int length;

    ProfileFrames(OutputStream out) {
        this.out = out;
    }

    static void progress(OutputStream out, long elapsed, int seconds, long samples) throws IOException {
        line(out, "progress " + elapsed + ' ' + seconds + ' ' + samples);
        out.flush();
    }

    static void end(OutputStream out) throws IOException {
        line(out, "end");
    }

    private static void line(OutputStream out, String text) throws IOException {
        out.write((text + '\n').getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public void write(int octet) throws IOException {
        if (length == ROOM) {
            flush();
        }
        held[length++] = (byte) octet;
    }

    @Override
    public void flush() throws IOException {
        if (length > 0) {
            line(out, "data " + length);
            out.write(held, 0, length);
            length = 0;
        }
    }
}
