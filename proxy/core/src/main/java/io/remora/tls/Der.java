package io.remora.tls;

/**
 * Reads DER element by element (X.690), and writes elements. Reading refuses what is cut short or has a
 * length in more octets than an array can have.
 *
 * <p>Owner: one thread.
 */
public final class Der {
    public static final int BOOLEAN = 0x01;
    public static final int INTEGER = 0x02;
    public static final int BIT_STRING = 0x03;
    public static final int OCTET_STRING = 0x04;
    public static final int OBJECT = 0x06;
    public static final int SEQUENCE = 0x30;
    public static final int SET = 0x31;
    public static final int UTF8_STRING = 0x0c;
    public static final int UTC_TIME = 0x17;
    public static final int GENERALIZED_TIME = 0x18;

    private final byte[] octets;
    private final int end;
    private int at;
    private int contentAt;
    private int contentEnd;

    private Der(byte[] octets, int from, int end) {
        this.octets = octets;
        this.at = from;
        this.end = end;
    }

    public static Der of(byte[] octets) {
        return new Der(octets, 0, octets.length);
    }

    boolean hasMore() {
        return at < end;
    }

    /** Tag of the next element, which stays; -1 where there is none. */
    int peek() {
        return at < end ? octets[at] & 0xff : -1;
    }

    /** Steps over the next element, whose content is then the current one; tells its tag. */
    int next() throws TlsException {
        int tag = peek();
        if (tag < 0 || (tag & 0x1f) == 0x1f || at + 2 > end) {
            throw malformed();
        }
        int length = octets[at + 1] & 0xff;
        int from = at + 2;
        if (length > 0x80) {
            int count = length - 0x80;
            if (count > 3 || from + count > end) {
                throw malformed();
            }
            length = 0;
            for (int i = 0; i < count; i++) {
                length = length << 8 | octets[from++] & 0xff;
            }
        } else if (length == 0x80) {
            throw malformed();
        }
        if (length > end - from) {
            throw malformed();
        }
        contentAt = from;
        contentEnd = from + length;
        at = contentEnd;
        return tag;
    }

    /** Steps over the next element, which must have this tag. */
    public Der expect(int tag) throws TlsException {
        if (next() != tag) {
            throw malformed();
        }
        return this;
    }

    /** Reads inside the current element. */
    public Der inside() {
        return new Der(octets, contentAt, contentEnd);
    }

    public byte[] content() {
        return java.util.Arrays.copyOfRange(octets, contentAt, contentEnd);
    }

    static TlsException malformed() {
        return new TlsException(TlsFailure.PROTOCOL, "malformed DER");
    }

    // ---- writing

    /** Writes one element whose content is all of these, one after the other. */
    public static byte[] element(int tag, byte[]... parts) {
        int length = 0;
        for (byte[] part : parts) {
            length += part.length;
        }
        int lengthOctets = length < 0x80 ? 0 : length < 0x100 ? 1 : length < 0x10000 ? 2 : 3;
        byte[] element = new byte[2 + lengthOctets + length];
        element[0] = (byte) tag;
        element[1] = (byte) (lengthOctets == 0 ? length : 0x80 | lengthOctets);
        for (int i = 0; i < lengthOctets; i++) {
            element[2 + i] = (byte) (length >> 8 * (lengthOctets - 1 - i));
        }
        int to = 2 + lengthOctets;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, element, to, part.length);
            to += part.length;
        }
        return element;
    }
}
