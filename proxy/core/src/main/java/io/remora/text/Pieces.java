package io.remora.text;

import org.jspecify.annotations.Nullable;

/**
 * A text that is made a piece at a time. A slow reader holds up no more of it than one piece.
 *
 * <p>Owner: one reader. Bounds: a piece ends with the first line after {@link #PIECE_CHARS}.
 */
public interface Pieces {
    /** Characters of a piece, about. */
    int PIECE_CHARS = 32 << 10;

    /** Returns the next piece, which is the caller's until the next call; null after the last. */
    @Nullable
    CharSequence next();

    /** A text that is there as a whole, cut into pieces. */
    static Pieces of(CharSequence whole) {
        return new Pieces() {
            private int at;

            @Override
            public @Nullable CharSequence next() {
                int from = at;
                at = Math.min(whole.length(), from + PIECE_CHARS);
                if (at < whole.length() && Character.isHighSurrogate(whole.charAt(at - 1))) {
                    // whose other half is behind it, and both make one character
                    at--;
                }
                return from == at ? null : whole.subSequence(from, at);
            }
        };
    }
}
