package io.remora.admin;

import java.io.IOException;
import java.io.OutputStream;

/** A stream that counts the bytes that pass it. Owner: one thread. */
final class CountedStream extends OutputStream {
    private final OutputStream out;
    private long count;

    CountedStream(OutputStream out) {
        this.out = out;
    }

    long count() {
        return count;
    }

    @Override
    public void write(int octet) throws IOException {
        out.write(octet);
        count++;
    }

    @Override
    public void write(byte[] octets, int from, int length) throws IOException {
        out.write(octets, from, length);
        count += length;
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }
}
