package io.remora.compilelog;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.zip.DataFormatException;
import java.util.zip.Inflater;
import org.HdrHistogram.Histogram;

/**
 * A line of an HdrHistogram interval log: {@code Tag=NAME,START,LENGTH,MAX,HISTOGRAM}, in seconds, without a tag or
 * with one.
 *
 * <p>Bounds: histograms of three digits and 1 MiB, so that a forged line does not fill the heap.
 */
final class LatencyLine {
    private static final String TAG = "Tag=";
    private static final int FIELDS = 4;
    private static final int COMPRESSED = 0x1c849314;
    private static final int PAYLOAD = 0x1c849313;
    private static final int HEADER_BYTES = 8;
    private static final int DIGITS_AT = 12;
    private static final int MAX_DIGITS = 3;
    private static final int MAX_BYTES = 1 << 20;

    final String tag;
    final double start;
    final double length;
    private final String encoded;

    private LatencyLine(String tag, double start, double length, String encoded) {
        this.tag = tag;
        this.start = start;
        this.length = length;
        this.encoded = encoded;
    }

    /**
     * Returns the line of a text.
     *
     * @throws IllegalArgumentException if the text is no such line
     */
    static LatencyLine of(String text) {
        String tag = "";
        String rest = text;
        if (text.startsWith(TAG)) {
            int end = text.indexOf(',');
            tag = text.substring(TAG.length(), end < 0 ? text.length() : end);
            rest = end < 0 ? "" : text.substring(end + 1);
        }
        String[] fields = new String[FIELDS];
        int from = 0;
        for (int i = 0; i < FIELDS - 1; i++) {
            int comma = rest.indexOf(',', from);
            if (comma < 0) {
                throw new IllegalArgumentException("no line of an interval log");
            }
            fields[i] = rest.substring(from, comma);
            from = comma + 1;
        }
        return new LatencyLine(
                tag,
                seconds(fields[0]),
                seconds(fields[1]),
                rest.substring(from).strip());
    }

    static double seconds(String text) {
        try {
            double seconds = Double.parseDouble(text.strip());
            if (seconds >= 0 && seconds < 1e12) {
                return seconds;
            }
        } catch (NumberFormatException e) {
            // as any other text
        }
        throw new IllegalArgumentException("a time that is not in seconds");
    }

    /**
     * Returns the interval's histogram.
     *
     * @throws IllegalArgumentException if the line has none, or a larger one
     */
    Histogram histogram() {
        try {
            byte[] compressed = Base64.getDecoder().decode(encoded);
            if (ByteBuffer.wrap(compressed).getInt() != COMPRESSED) {
                throw new IllegalArgumentException("no compressed histogram of version 2");
            }
            ByteBuffer payload = inflated(compressed);
            // the places of older versions are others
            if (payload.getInt(0) != PAYLOAD) {
                throw new IllegalArgumentException("no histogram of version 2");
            }
            int digits = payload.getInt(DIGITS_AT);
            if (digits < 0 || digits > MAX_DIGITS) {
                throw new IllegalArgumentException("a histogram of more than " + MAX_DIGITS + " digits");
            }
            return Histogram.decodeFromByteBuffer(payload, 0);
        } catch (DataFormatException
                | BufferUnderflowException
                | IndexOutOfBoundsException
                | NegativeArraySizeException
                | ArithmeticException e) {
            throw new IllegalArgumentException("a damaged histogram", e);
        }
    }

    private static ByteBuffer inflated(byte[] compressed) throws DataFormatException {
        Inflater inflater = new Inflater();
        try {
            inflater.setInput(compressed, HEADER_BYTES, compressed.length - HEADER_BYTES);
            byte[] payload = new byte[MAX_BYTES];
            int length = inflater.inflate(payload);
            if (!inflater.finished()) {
                throw new IllegalArgumentException("a histogram that is cut, or larger than " + MAX_BYTES + " bytes");
            }
            return ByteBuffer.wrap(payload, 0, length);
        } finally {
            inflater.end();
        }
    }
}
