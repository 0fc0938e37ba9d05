package io.remora.trust;

import io.remora.text.Ascii;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A set of identities: exact ones, and all SPIFFE IDs below a path. Immutable.
 *
 * <p>Cost: no allocation for a look-up. Spec: SPIFFE-ID 2: what stands for {@code *} is a path of one segment or more, of
 * letters, digits, dots, hyphens and underscores, none of them empty or relative. They are compared octet by octet.
 */
public final class Identities {
    private final String[] exact;
    /** Each with its last slash. */
    private final String[] prefixes;

    /**
     * @param patterns as a judged configuration has them: exact, or ending in {@code /*}
     */
    public Identities(List<String> patterns) {
        int prefixCount = 0;
        for (String pattern : patterns) {
            prefixCount += isPrefix(pattern) ? 1 : 0;
        }
        exact = new String[patterns.size() - prefixCount];
        prefixes = new String[prefixCount];
        int exactAt = 0;
        int prefixAt = 0;
        for (String pattern : patterns) {
            if (isPrefix(pattern)) {
                prefixes[prefixAt++] = pattern.substring(0, pattern.length() - 1);
            } else {
                exact[exactAt++] = pattern;
            }
        }
    }

    private static boolean isPrefix(String pattern) {
        return pattern.endsWith("/*");
    }

    /** Tells if the identity is one of these; a missing identity never is. */
    public boolean contain(@Nullable String identity) {
        if (identity == null || identity.isEmpty()) {
            return false;
        }
        for (String one : exact) {
            if (one.equals(identity)) {
                return true;
            }
        }
        for (String prefix : prefixes) {
            if (identity.startsWith(prefix) && isPath(identity, prefix.length())) {
                return true;
            }
        }
        return false;
    }

    /** Tells if the rest of the identity is a valid path of a SPIFFE ID. */
    private static boolean isPath(String identity, int from) {
        boolean dotsOnly = true;
        int start = from;
        for (int i = from; i < identity.length(); i++) {
            char character = identity.charAt(i);
            if (character == '/') {
                if (isNoSegment(dotsOnly, i - start)) {
                    return false;
                }
                start = i + 1;
                dotsOnly = true;
            } else if (Ascii.isAlphanumeric(character) || character == '-' || character == '_') {
                dotsOnly = false;
            } else if (character != '.') {
                return false;
            }
        }
        return !isNoSegment(dotsOnly, identity.length() - start);
    }

    private static boolean isNoSegment(boolean dotsOnly, int length) {
        return length == 0 || dotsOnly && length <= 2;
    }
}
