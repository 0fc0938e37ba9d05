package io.remora.json;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * The strings of JSON texts (RFC 8259 section 7).
 *
 * <p>Not thread safe. Cost: names that come again are the same object. Bounds: the octets of a string that is kept, to the
 * next power of two, and 64 names.
 */
final class JsonText {
    static final int MAX_OCTETS = 1 << 16;
    private static final int FIRST_OCTETS = 256;
    private static final int NAMES = 64;

    private final JsonInput in;
    private final int maxOctets;
    private final String[] names = new String[NAMES];
    private byte[] octets = new byte[FIRST_OCTETS];
    private int length;
    private boolean ascii;

    JsonText(JsonInput in, int maxOctets) {
        this.in = in;
        this.maxOctets = maxOctets;
    }

    /** The string whose opening quote has been passed. */
    String read() throws IOException {
        gather();
        return ascii ? new String(octets, 0, length, StandardCharsets.ISO_8859_1) : decoded();
    }

    /** Reads a string that is likely to come again. */
    String readName() throws IOException {
        gather();
        if (!ascii) {
            return decoded();
        }
        int hash = length;
        for (int i = 0; i < length; i++) {
            hash = 31 * hash + octets[i];
        }
        int place = (hash ^ hash >>> 16) & NAMES - 1;
        String known = names[place];
        if (known == null || !is(known)) {
            known = new String(octets, 0, length, StandardCharsets.ISO_8859_1);
            names[place] = known;
        }
        return known;
    }

    private boolean is(String known) {
        if (known.length() != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            if (known.charAt(i) != octets[i]) {
                return false;
            }
        }
        return true;
    }

    /** Decoding replaces what is malformed, so a faithful text encodes to the same octets again. */
    private String decoded() throws IOException {
        String text = new String(octets, 0, length, StandardCharsets.UTF_8);
        if (text.indexOf('\uFFFD') >= 0) {
            byte[] again = text.getBytes(StandardCharsets.UTF_8);
            if (!Arrays.equals(again, 0, again.length, octets, 0, length)) {
                throw in.problem("a string that is not UTF-8");
            }
        }
        return text;
    }

    /** Passes the string whose opening quote has been passed, however long it is. */
    void skip() throws IOException {
        for (int octet = in.next(); octet != '"'; octet = in.next()) {
            if (octet < ' ') {
                throw in.problem("a control character in a string");
            }
            if (octet == '\\') {
                escaped();
            }
        }
    }

    private void gather() throws IOException {
        length = 0;
        ascii = true;
        for (int octet = in.next(); octet != '"'; octet = in.next()) {
            if (octet < ' ') {
                throw in.problem("a control character in a string");
            }
            if (octet == '\\') {
                addCodePoint(escaped());
            } else {
                add(octet);
            }
        }
    }

    private void add(int octet) throws IOException {
        if (length == octets.length) {
            if (length >= maxOctets) {
                throw in.problem("a string of more than " + maxOctets + " octets");
            }
            octets = Arrays.copyOf(octets, length * 2);
        }
        octets[length++] = (byte) octet;
        ascii &= octet < 0x80;
    }

    private void addCodePoint(int point) throws IOException {
        if (point < 0x80) {
            add(point);
        } else if (point < 0x800) {
            add(0xc0 | point >> 6);
            add(0x80 | point & 0x3f);
        } else if (point < 0x10000) {
            add(0xe0 | point >> 12);
            add(0x80 | point >> 6 & 0x3f);
            add(0x80 | point & 0x3f);
        } else {
            add(0xf0 | point >> 18);
            add(0x80 | point >> 12 & 0x3f);
            add(0x80 | point >> 6 & 0x3f);
            add(0x80 | point & 0x3f);
        }
    }

    /** Reads the rest of an escape, after its backslash. */
    private int escaped() throws IOException {
        int octet = in.next();
        return switch (octet) {
            case '"', '\\', '/' -> octet;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> codePoint();
            default -> throw in.problem("an unknown escape in a string");
        };
    }

    private int codePoint() throws IOException {
        int unit = unit();
        if (unit < 0xd800 || unit > 0xdfff) {
            return unit;
        }
        if (unit < 0xdc00 && in.next() == '\\' && in.next() == 'u') {
            int low = unit();
            if (low >= 0xdc00 && low <= 0xdfff) {
                return 0x10000 + (unit - 0xd800 << 10) + low - 0xdc00;
            }
        }
        throw in.problem("half a character in a string");
    }

    private int unit() throws IOException {
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            int octet = in.next();
            int lower = octet | 0x20;
            int digit =
                    octet >= '0' && octet <= '9' ? octet - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
            if (digit < 0) {
                throw in.problem("an escape without four hexadecimal digits");
            }
            unit = unit << 4 | digit;
        }
        return unit;
    }
}
