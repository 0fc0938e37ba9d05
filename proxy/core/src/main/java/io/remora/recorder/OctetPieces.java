package io.remora.recorder;

import io.remora.log.Log;
import io.remora.text.Pieces;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The octets of a stream as pieces of text, one character each. The stream and its source are closed at its end.
 *
 * <p>Owner: one reader. Bounds: one piece in memory.
 */
final class OctetPieces implements Pieces {
    private final InputStream from;
    private final Closeable source;
    private final byte[] buffer = new byte[PIECE_CHARS];

    OctetPieces(InputStream from, Closeable source) {
        this.from = from;
        this.source = source;
    }

    @Override
    public @Nullable CharSequence next() {
        try {
            int length = from.readNBytes(buffer, 0, buffer.length);
            if (length > 0) {
                return new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
            }
        } catch (IOException e) {
            // a response that has begun has no other way to report it
            Log.warn("recording: " + e.getMessage() + "; dump truncated");
        }
        close();
        return null;
    }

    @Override
    public void close() {
        try (source) {
            from.close();
        } catch (IOException e) {
            Log.debug("recording: " + e.getMessage() + "; chunk not closed");
        }
    }
}
