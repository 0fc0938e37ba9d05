package io.remora.http2.hpack;

import io.remora.http.Octets;
import java.nio.charset.StandardCharsets;

/**
 * The static table as octets, its lines laid out as in a {@link FieldSection}. Pure functions; an index is one of RFC 7541,
 * which begins with 1.
 *
 * <p>Spec: RFC 7541 appendix A.
 */
final class StaticTable {
    /** Number of lines. */
    static final int LENGTH = 61;

    private static final String LINES = ":authority=|:method=GET|:method=POST|:path=/|:path=/index.html|:scheme=http|"
            + ":scheme=https|:status=200|:status=204|:status=206|:status=304|:status=400|:status=404|:status=500|"
            + "accept-charset=|accept-encoding=gzip, deflate|accept-language=|accept-ranges=|accept=|"
            + "access-control-allow-origin=|age=|allow=|authorization=|cache-control=|content-disposition=|"
            + "content-encoding=|content-language=|content-length=|content-location=|content-range=|content-type=|"
            + "cookie=|date=|etag=|expect=|expires=|from=|host=|if-match=|if-modified-since=|if-none-match=|if-range=|"
            + "if-unmodified-since=|last-modified=|link=|location=|max-forwards=|proxy-authenticate=|"
            + "proxy-authorization=|range=|referer=|refresh=|retry-after=|server=|set-cookie=|"
            + "strict-transport-security=|transfer-encoding=|user-agent=|vary=|via=|www-authenticate=|";

    // ---- the indices of lines with secrets

    private static final int AUTHORIZATION = 23;
    private static final int COOKIE = 32;
    private static final int PROXY_AUTHORIZATION = 49;
    private static final int SET_COOKIE = 55;

    static final byte[] OCTETS;
    /** Places of a line by its index: its start and the end of its name; the next line's start follows. */
    private static final char[] STARTS = new char[LENGTH + 2];

    private static final char[] NAME_ENDS = new char[LENGTH + 1];
    private static final byte[] FACTS = new byte[LENGTH + 1];

    private static final int SLOTS = 256;
    /** The first index with a name, by the name's hash; the next slots have others with the same one. */
    private static final byte[] BY_NAME = new byte[SLOTS];

    static {
        int length = LINES.length();
        StringBuilder laidOut = new StringBuilder(length + 2 * LENGTH);
        int index = 1;
        for (int i = 0; i < length; i++) {
            char character = LINES.charAt(i);
            if (character == '=') {
                NAME_ENDS[index] = (char) laidOut.length();
                laidOut.append(": ");
            } else if (character == '|') {
                laidOut.append("\r\n");
                STARTS[++index] = (char) laidOut.length();
            } else {
                laidOut.append(character);
            }
        }
        OCTETS = laidOut.toString().getBytes(StandardCharsets.ISO_8859_1);
        for (int i = 1; i <= LENGTH; i++) {
            FACTS[i] = (byte) LineFacts.ofName(OCTETS, STARTS[i], NAME_ENDS[i]);
            if (find(OCTETS, STARTS[i], NAME_ENDS[i]) == 0) {
                int slot = hash(OCTETS, STARTS[i], NAME_ENDS[i]);
                while (BY_NAME[slot] != 0) {
                    slot = slot + 1 & SLOTS - 1;
                }
                BY_NAME[slot] = (byte) i;
            }
        }
    }

    private StaticTable() {}

    static int start(int index) {
        return STARTS[index];
    }

    static int nameLength(int index) {
        return NAME_ENDS[index] - STARTS[index];
    }

    static int valueLength(int index) {
        return STARTS[index + 1] - 2 - valueStart(index);
    }

    private static int valueStart(int index) {
        return NAME_ENDS[index] + 2;
    }

    /** Returns the bits of {@link LineFacts}; all values are valid. */
    static int facts(int index) {
        return FACTS[index];
    }

    // ---- for the encoder

    /** Returns the first index with this name, letter case aside; 0 for none. */
    static int find(byte[] name, int from, int to) {
        if (from == to) {
            return 0;
        }
        int slot = hash(name, from, to);
        while (BY_NAME[slot] != 0 && !isNamed(BY_NAME[slot], name, from, to)) {
            slot = slot + 1 & SLOTS - 1;
        }
        return BY_NAME[slot];
    }

    /** Returns the index of a line with this value, whose first with the name is {@code first}; 0 for none. */
    static int withValue(int first, byte[] value, int from, int to) {
        int length = nameLength(first);
        for (int i = first; i > 0 && i <= LENGTH; i++) {
            if (nameLength(i) != length || !sameName(first, i)) {
                return 0;
            }
            if (valueLength(i) == to - from && isAt(valueStart(i), value, from, to)) {
                return i;
            }
        }
        return 0;
    }

    private static boolean sameName(int first, int other) {
        return first == other || isAt(STARTS[first], OCTETS, STARTS[other], NAME_ENDS[other]);
    }

    /** Returns whether the lines of this index, the first with its name, have secrets. */
    static boolean isSecret(int index) {
        return index == AUTHORIZATION || index == COOKIE || index == PROXY_AUTHORIZATION || index == SET_COOKIE;
    }

    private static boolean isNamed(int index, byte[] name, int from, int to) {
        int start = STARTS[index];
        boolean same = NAME_ENDS[index] - start == to - from;
        for (int i = from; same && i < to; i++) {
            same = Octets.toLower(name[i]) == OCTETS[start + i - from];
        }
        return same;
    }

    private static boolean isAt(int place, byte[] octets, int from, int to) {
        int i = from;
        while (i < to && octets[i] == OCTETS[place + i - from]) {
            i++;
        }
        return i == to;
    }

    // a letter is the same in either case
    private static int hash(byte[] name, int from, int to) {
        int hash = 31 * (to - from) + (name[from] | 0x20);
        hash = 31 * hash + (name[from + to >>> 1] | 0x20);
        return 31 * hash + (name[to - 1] | 0x20) & SLOTS - 1;
    }
}
