package io.remora.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Spellings of a path: as it was sent, its normalized spelling, and readings of servers that RFC 3986 does not have.
 * Immutable. Loaded only where a path has another spelling.
 *
 * <p>The normalized spelling has unreserved octets as themselves, the digits of other triplets in upper case, and no dot segments; {@code
 * %2e} counts as a dot. Slashes in a row stay, and so do encoded slashes, backslashes and parameters: to RFC 3986 they are data.
 *
 * <p>Cost: one array as long as the path. Spec: RFC 3986 5.2.4 and 6.2.2.
 */
public final class PathSpelling {
    private final byte[] octets;
    private final int from;
    private final int to;
    private final byte[] normalized;
    private int end;
    private boolean unclear;

    /**
     * Reads the octets of a path without its query, the first of which is a slash.
     *
     * @param octets that nobody changes
     */
    public PathSpelling(byte[] octets, int from, int to) {
        this.octets = octets;
        this.from = from;
        this.to = to;
        this.normalized = new byte[to - from];
        this.end = Percent.normalize(octets, from, to, normalized, 0);
        removeDotSegments();
    }

    /** Returns the normalized spelling of a path that begins with a slash. */
    public static String normalized(String path) {
        byte[] octets = path.getBytes(StandardCharsets.ISO_8859_1);
        return new String(new PathSpelling(octets, 0, octets.length).normalized(), StandardCharsets.ISO_8859_1);
    }

    private void removeDotSegments() {
        byte[] path = normalized;
        int next = 0;
        int slash = 0;
        while (slash < end) {
            int behind = slash + 1;
            while (behind < end && path[behind] != '/') {
                behind++;
            }
            int dots = dots(slash + 1, behind);
            if (dots == 0) {
                unclear |= hasDots(path, slash + 1, behind);
                System.arraycopy(path, slash, path, next, behind - slash);
                next += behind - slash;
            } else {
                next = dots == 2 ? withoutLastSegment(next) : next;
                if (behind == end) {
                    path[next++] = '/';
                }
            }
            slash = behind;
        }
        end = next;
    }

    /** Returns the length of a segment that is a dot segment, 0 of any other. */
    private int dots(int segmentStart, int segmentEnd) {
        int length = segmentEnd - segmentStart;
        boolean dots =
                (length == 1 || length == 2) && normalized[segmentStart] == '.' && normalized[segmentEnd - 1] == '.';
        return dots ? length : 0;
    }

    private int withoutLastSegment(int pathEnd) {
        int slash = pathEnd - 1;
        while (slash > 0 && normalized[slash] != '/') {
            slash--;
        }
        // a server that does not have the segment takes out the one before it
        unclear |= pathEnd > 0 && isEmptyToSome(normalized, slash + 1, pathEnd);
        return Math.max(slash, 0);
    }

    /** Tells if nothing is left of a segment on servers that see more slashes in it and merge them. */
    private static boolean isEmptyToSome(byte[] octets, int from, int to) {
        int at = from;
        while (at < to) {
            int encoded = Percent.octet(octets, at, to);
            int octet = encoded < 0 ? octets[at] : encoded;
            if (octet != '/' && octet != '\\') {
                // after it stands a parameter, which some cut off
                return octet == ';';
            }
            at += encoded < 0 ? 1 : Percent.TRIPLET;
        }
        return true;
    }

    /** Tells if the path was sent in its normalized spelling, apart from the letter case of digits. */
    public boolean isNormalized() {
        // any other change makes it shorter
        return end == to - from;
    }

    /** Returns the path as it was sent, but for the digits of triplets, which are in upper case. */
    public byte[] asSent() {
        byte[] copy = Arrays.copyOfRange(octets, from, to);
        Percent.upperDigits(copy);
        return copy;
    }

    /** Returns the normalized spelling. */
    public byte[] normalized() {
        return Arrays.copyOf(normalized, end);
    }

    /** Returns the normalized spelling with other octets after it, such as a query. */
    public byte[] normalizedWith(byte[] others, int othersFrom, int othersTo) {
        byte[] joined = Arrays.copyOf(normalized, end + othersTo - othersFrom);
        System.arraycopy(others, othersFrom, joined, end, othersTo - othersFrom);
        return joined;
    }

    // ---- what RFC 3986 does not see

    /**
     * Tells if dot segments lead some servers elsewhere than in {@link #normalized}: one ends at an encoded slash, a backslash or a
     * parameter, or takes out a segment that is empty to servers which merge slashes.
     */
    public boolean hasUnclearDots() {
        return unclear;
    }

    /** Tells if a part of a path has a dot segment in any spelling that some server resolves. */
    public static boolean hasDots(byte[] octets, int from, int to) {
        int dots = 0;
        boolean onlyDots = true;
        int at = from;
        while (at <= to) {
            int encoded = at == to ? -1 : Percent.octet(octets, at, to);
            int octet = at == to ? '/' : encoded < 0 ? octets[at] : encoded;
            if (octet == '/' || octet == '\\' || octet == ';') {
                if (onlyDots && (dots == 1 || dots == 2)) {
                    return true;
                }
                dots = 0;
                // what follows a parameter belongs to it, up to the next slash
                onlyDots = octet != ';';
            } else {
                onlyDots &= octet == '.';
                dots++;
            }
            at += encoded < 0 ? 1 : Percent.TRIPLET;
        }
        return false;
    }

    /** Tells if an octet stands in the path as sent: percent-encoded, or also as itself. */
    public boolean has(char octet, boolean orItself) {
        for (int at = from; at < to; at++) {
            if (orItself && octets[at] == octet || Percent.octet(octets, at, to) == octet) {
                return true;
            }
        }
        return false;
    }

    /** Tells if two slashes stand in a row in the path as sent. */
    public boolean hasDoubleSlash() {
        for (int at = from + 1; at < to; at++) {
            if (octets[at] == '/' && octets[at - 1] == '/') {
                return true;
            }
        }
        return false;
    }
}
