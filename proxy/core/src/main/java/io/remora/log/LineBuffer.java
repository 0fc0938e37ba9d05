package io.remora.log;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A buffer of log lines, reused from batch to batch. Not thread safe.
 *
 * <p>Everything that a peer sent is written as printable ASCII, so that it can end neither a line nor a quoted string.
 */
final class LineBuffer {
    private static final String HEX = "0123456789abcdef";
    private static final int KEPT_BYTES = 32 * 1024;

    private byte[] bytes = new byte[KEPT_BYTES];
    private int length;

    int length() {
        return length;
    }

    void clear() {
        length = 0;
        if (bytes.length > 2 * KEPT_BYTES) {
            bytes = new byte[KEPT_BYTES];
        }
    }

    void writeTo(OutputStream out) throws IOException {
        out.write(bytes, 0, length);
    }

    /** Appends text that does not come from a peer and is known to be ASCII. */
    void append(String text) {
        reserve(text.length());
        for (int i = 0; i < text.length(); i++) {
            bytes[length++] = (byte) text.charAt(i);
        }
    }

    void append(char c) {
        reserve(1);
        bytes[length++] = (byte) c;
    }

    /** Appends a count or a size; a negative one, which no caller should pass, is written as 0. */
    void append(long value) {
        long left = Math.max(0, value);
        int digits = 1;
        for (long rest = left; rest >= 10; rest /= 10) {
            digits++;
        }
        reserve(digits);
        for (int at = length + digits - 1; at >= length; at--) {
            bytes[at] = (byte) ('0' + left % 10);
            left /= 10;
        }
        length += digits;
    }

    /** Appends a JSON string, or {@code null}. Spec: RFC 8259 7. */
    void appendJson(@Nullable String text) {
        if (text == null) {
            append("null");
            return;
        }
        append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            reserve(6);
            if (c == '"' || c == '\\') {
                bytes[length++] = '\\';
                bytes[length++] = (byte) c;
            } else if (c >= ' ' && c < 0x7f) {
                bytes[length++] = (byte) c;
            } else {
                appendHex('u', c, 12);
            }
        }
        append('"');
    }

    /** Appends the content of a quoted field of the Combined Log Format, escaped as Apache does; a dash if empty. */
    void appendCombined(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            append('-');
            return;
        }
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            reserve(6);
            if (c == '"' || c == '\\') {
                bytes[length++] = '\\';
                bytes[length++] = (byte) c;
            } else if (c >= ' ' && c < 0x7f) {
                bytes[length++] = (byte) c;
            } else if (c <= 0xff) {
                appendHex('x', c, 4);
            } else {
                appendHex('u', c, 12);
            }
        }
    }

    private void appendHex(char kind, char c, int firstShift) {
        bytes[length++] = '\\';
        bytes[length++] = (byte) kind;
        for (int shift = firstShift; shift >= 0; shift -= 4) {
            bytes[length++] = (byte) HEX.charAt(c >> shift & 15);
        }
    }

    private void reserve(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(bytes.length * 2, length + more));
        }
    }
}
