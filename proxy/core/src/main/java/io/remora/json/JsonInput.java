package io.remora.json;

import java.io.IOException;
import java.io.InputStream;

/**
 * The octets of JSON texts, one after the other, with a bound on each text.
 *
 * <p>Not thread safe. Cost: a buffer of 8 KiB. Bounds: a text may be longer than its bound by one buffer.
 */
final class JsonInput {
    static final int END = -1;

    private static final int BUFFER_OCTETS = 8_192;

    private final InputStream in;
    private final long maxOctets;
    private final byte[] buffer = new byte[BUFFER_OCTETS];
    private int at;
    private int end;
    /** Octets read before the buffer. */
    private long before;
    /** Position of the text's beginning. */
    private long began;

    JsonInput(InputStream in, long maxOctets) {
        this.in = in;
        this.maxOctets = maxOctets;
    }

    /** A text begins here. */
    void begin() {
        began = before + at;
    }

    /** The next octet, which stays the next; {@link #END} where there is none. */
    int peek() throws IOException {
        return at < end || fill() ? buffer[at] & 0xff : END;
    }

    /** Passes the octet that was seen last. */
    void pass() {
        at++;
    }

    /** The next octet, which is an error where there is none. */
    int next() throws IOException {
        if (at == end && !fill()) {
            throw problem("it ends too early");
        }
        return buffer[at++] & 0xff;
    }

    /** The next octet that is no white space, which stays the next. */
    int peekBehindSpace() throws IOException {
        int octet = peek();
        while (octet == ' ' || octet == '\n' || octet == '\r' || octet == '\t') {
            at++;
            octet = peek();
        }
        return octet;
    }

    private boolean fill() throws IOException {
        if (before + end - began > maxOctets) {
            throw problem("it is longer than " + maxOctets + " octets");
        }
        int read = in.read(buffer, 0, BUFFER_OCTETS);
        if (read <= 0) {
            return false;
        }
        before += end;
        at = 0;
        end = read;
        return true;
    }

    JsonException problem(String what) {
        return new JsonException("JSON: " + what + ", at octet " + (before + at - began));
    }
}
