package io.remora.config.model;

import java.util.List;

/**
 * The rule of a listener for paths that have more than one spelling.
 *
 * @param refused separators that no path may have; empty for none
 */
public record PathConfig(Mode mode, List<Separator> refused) {
    public static final PathConfig DEFAULT = new PathConfig(Mode.BOTH, List.of());

    /** The spelling of a path that is matched, and the one that is sent. */
    public enum Mode {
        /** The path as sent and its normalized spelling have to take the same route; it goes on as sent. */
        BOTH,
        /** The path as sent is matched, and goes on as sent. */
        AS_SENT,
        /** The normalized spelling is matched, and goes on. */
        NORMALIZE,
        /** A path that is not sent in its normalized spelling is refused. */
        REFUSE
    }

    /** Octets that RFC 3986 takes for data, and that some servers take for a slash or for the end of a segment. */
    public enum Separator {
        BACKSLASH,
        DOUBLE_SLASH,
        ENCODED_SLASH,
        SEMICOLON
    }
}
