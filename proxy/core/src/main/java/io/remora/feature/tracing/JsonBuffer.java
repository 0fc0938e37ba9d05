package io.remora.feature.tracing;

import io.remora.text.Hex;
import java.util.Arrays;

/**
 * JSON as octets, all of them printable ASCII with any input from a peer.
 *
 * <p>Owner: one event loop. Bounds: a text is cut after {@value #MAX_TEXT_CHARS} characters. Values that do not fit
 * into the whole are left out, and {@link #isOverrun} says so until it is {@link #cut}. Spec: RFC 8259 section 7.
 */
final class JsonBuffer {
    private static final int MAX_TEXT_CHARS = 1_024;
    private static final int FIRST_BYTES = 4 << 10;
    private static final int KEPT_BYTES = 64 << 10;
    /** Octets of an escape, the longest way to say a character. */
    private static final int ESCAPE = 6;

    private static final byte[] NONE = {};

    private final int maxBytes;
    private byte[] bytes = NONE;
    private int length;
    private boolean overrun;

    JsonBuffer(int maxBytes) {
        this.maxBytes = maxBytes;
    }

    int length() {
        return length;
    }

    byte[] array() {
        return bytes;
    }

    /** Returns the bytes of the heap that it takes. */
    int capacity() {
        return bytes.length;
    }

    /** Tells if something has been left out. */
    boolean isOverrun() {
        return overrun;
    }

    /** Takes back what was appended after {@code before}. */
    void cut(int before) {
        length = before;
        overrun = false;
    }

    void clear() {
        cut(0);
        if (bytes.length > KEPT_BYTES) {
            bytes = NONE;
        }
    }

    /** Drops the content and frees the array. */
    void free() {
        cut(0);
        bytes = NONE;
    }

    /** Exchanges the content of both buffers. */
    void swap(JsonBuffer other) {
        byte[] octets = bytes;
        int used = length;
        bytes = other.bytes;
        length = other.length;
        other.bytes = octets;
        other.length = used;
    }

    /** Appends text that is JSON itself. */
    JsonBuffer raw(String json) {
        return plain(json, json.length());
    }

    private JsonBuffer plain(String text, int chars) {
        if (!reserve(chars)) {
            return this;
        }
        byte[] into = bytes;
        int at = length;
        for (int i = 0; i < chars; i++) {
            into[at++] = (byte) text.charAt(i);
        }
        length = at;
        return this;
    }

    JsonBuffer number(long number) {
        if (number < 0) {
            return raw(Long.toString(number));
        }
        int digits = 1;
        for (long rest = number; rest >= 10; rest /= 10) {
            digits++;
        }
        if (!reserve(digits)) {
            return this;
        }
        long left = number;
        for (int at = length + digits - 1; at >= length; at--) {
            bytes[at] = (byte) ('0' + left % 10);
            left /= 10;
        }
        length += digits;
        return this;
    }

    /** An id of sixteen digits, in quotes. */
    JsonBuffer id(long id) {
        if (!reserve(Hex.LONG_DIGITS + 2)) {
            return this;
        }
        bytes[length++] = '"';
        length = Hex.write(bytes, length, id);
        bytes[length++] = '"';
        return this;
    }

    /** One of thirty-two, in quotes. */
    JsonBuffer id(long high, long low) {
        if (!reserve(2 * Hex.LONG_DIGITS + 2)) {
            return this;
        }
        bytes[length++] = '"';
        length = Hex.write(bytes, Hex.write(bytes, length, high), low);
        bytes[length++] = '"';
        return this;
    }

    /** Any text, in quotes. */
    JsonBuffer text(String text) {
        raw("\"");
        int end = Math.min(text.length(), MAX_TEXT_CHARS);
        int plain = 0;
        while (plain < end && isPlain(text.charAt(plain))) {
            plain++;
        }
        plain(text, plain);
        for (int i = plain; i < end && !overrun; i++) {
            character(text.charAt(i));
        }
        return raw("\"");
    }

    private static boolean isPlain(char c) {
        return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
    }

    private void character(char c) {
        if (!reserve(ESCAPE)) {
            return;
        }
        if (c == '"' || c == '\\') {
            bytes[length++] = '\\';
            bytes[length++] = (byte) c;
        } else if (isPlain(c)) {
            bytes[length++] = (byte) c;
        } else {
            bytes[length++] = '\\';
            bytes[length++] = 'u';
            for (int shift = 12; shift >= 0; shift -= 4) {
                bytes[length++] = (byte) Hex.digit(c, shift);
            }
        }
    }

    private boolean reserve(int more) {
        if (overrun || maxBytes - length < more) {
            overrun = true;
            return false;
        }
        if (bytes.length - length < more) {
            int wanted = Math.max(Math.max(FIRST_BYTES, bytes.length * 2), length + more);
            // what is beyond half is all, so that the last of them is copied from no more than that
            bytes = Arrays.copyOf(bytes, wanted > maxBytes / 2 ? maxBytes : wanted);
        }
        return true;
    }
}
