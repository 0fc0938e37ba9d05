package io.remora.proxyprotocol;

import io.netty.buffer.ByteBuf;
import io.remora.text.IpAddress;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reader of one header, however its octets come, and of nothing after it.
 *
 * <p>Owner: an event loop. Bounds: 108 octets are kept, and a header of version 2 may have {@value #MOST_OCTETS}, most
 * of which are passed over. Spec: the PROXY protocol, versions 1 and 2, 2020-03-05, sections 2.1 and 2.2. Further
 * fields of version 2 than the addresses are not looked at, its checksum among them.
 */
final class ProxyHeader {
    /** Section 2.1: the longest line of version 1, with its end. */
    private static final int LONGEST_LINE = 107;

    private static final int MOST_OCTETS = 4_096;
    private static final byte[] FIRST = "PROXY ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] UNKNOWN = "UNKNOWN".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] OVER_TCP4 = "TCP4 ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] OVER_TCP6 = "TCP6 ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] SECOND = {'\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n'};
    /** Octets of a version 2 header before its addresses. */
    private static final int FIXED = 16;

    private static final int LOCAL = 0x20;
    private static final int PROXY = 0x21;
    private static final int UNSPECIFIED = 0x00;
    private static final int TCP4 = 0x11;
    private static final int TCP6 = 0x21;
    private static final int UNIX = 0x31;
    private static final int TCP4_OCTETS = 12;
    private static final int TCP6_OCTETS = 36;
    private static final int UNIX_OCTETS = 216;
    private static final int MAX_PORT = 65_535;

    /** Progress of the reading. */
    enum Progress {
        MORE,
        WHOLE,
        BROKEN
    }

    private final byte[] octets = new byte[LONGEST_LINE + 1];
    private int length;
    /** Octets of a version 2 header to keep, once its length is known; {@link #total} counts all of them. */
    private int kept;

    private int total;
    private int passed;
    private @Nullable String source;

    /** Takes octets up to the header's end; where it is whole, what is left belongs to the connection. */
    Progress read(ByteBuf wire) {
        while (wire.isReadable()) {
            if (total > 0 && passed >= kept) {
                int skipped = Math.min(wire.readableBytes(), total - passed);
                wire.skipBytes(skipped);
                passed += skipped;
            } else {
                octets[length++] = wire.readByte();
                passed++;
            }
            Progress progress = progress();
            if (progress != Progress.MORE) {
                return progress;
            }
        }
        return Progress.MORE;
    }

    /** Tells if no octet of the header has come. */
    boolean isEmpty() {
        return length == 0;
    }

    /** Returns the client's address without brackets or port; null where it is the address of the connection itself. */
    @Nullable
    String source() {
        return source;
    }

    private Progress progress() {
        if (octets[0] == FIRST[0]) {
            return line();
        }
        if (length <= SECOND.length) {
            return octets[length - 1] == SECOND[length - 1] ? Progress.MORE : Progress.BROKEN;
        }
        if (length == FIXED && total == 0 && !begun()) {
            return Progress.BROKEN;
        }
        if (total == 0 || passed < total) {
            return Progress.MORE;
        }
        return addresses();
    }

    // ---- version 1

    private Progress line() {
        if (length <= FIRST.length) {
            return octets[length - 1] == FIRST[length - 1] ? Progress.MORE : Progress.BROKEN;
        }
        if (octets[length - 1] != '\n') {
            return length == LONGEST_LINE ? Progress.BROKEN : Progress.MORE;
        }
        if (octets[length - 2] != '\r') {
            return Progress.BROKEN;
        }
        return isUnknown() || takes() ? Progress.WHOLE : Progress.BROKEN;
    }

    private boolean isUnknown() {
        int behind = FIRST.length + UNKNOWN.length;
        return has(FIRST.length, UNKNOWN) && (length - 2 == behind || octets[behind] == ' ');
    }

    private boolean has(int at, byte[] word) {
        return length >= at + word.length + 2 && Arrays.equals(octets, at, at + word.length, word, 0, word.length);
    }

    /** Tells if the text is two addresses of the family and two ports, with one space before each. */
    private boolean takes() {
        boolean v6 = has(FIRST.length, OVER_TCP6);
        if (!v6 && !has(FIRST.length, OVER_TCP4)) {
            return false;
        }
        int from = FIRST.length + OVER_TCP4.length;
        int to = endOfWord(from);
        int toEnd = endOfWord(to + 1);
        int port = endOfWord(toEnd + 1);
        byte[] client = address(from, to, v6);
        if (client == null
                || address(to + 1, toEnd, v6) == null
                || !isPort(toEnd + 1, port)
                || !isPort(port + 1, length - 2)) {
            return false;
        }
        source = text(client);
        return true;
    }

    /** Returns the end of the word that begins there; that of the line if there is no space after it. */
    private int endOfWord(int from) {
        int at = from;
        while (at < length - 2 && octets[at] != ' ') {
            at++;
        }
        return Math.min(at, length - 2);
    }

    private byte @Nullable [] address(int from, int to, boolean v6) {
        IpAddress address = new IpAddress();
        if (from >= to || !address.parse(octets, from, to) || hasColon(from, to) != v6) {
            return null;
        }
        byte[] number = new byte[16];
        for (int i = 0; i < 8; i++) {
            number[i] = (byte) (address.high() >>> 56 - 8 * i);
            number[8 + i] = (byte) (address.low() >>> 56 - 8 * i);
        }
        return number;
    }

    private boolean hasColon(int from, int to) {
        for (int i = from; i < to; i++) {
            if (octets[i] == ':') {
                return true;
            }
        }
        return false;
    }

    private boolean isPort(int from, int to) {
        int port = 0;
        for (int i = from; i < to; i++) {
            int digit = octets[i] - '0';
            if (digit < 0 || digit > 9 || i - from > 4) {
                return false;
            }
            port = port * 10 + digit;
        }
        return to > from && (to == from + 1 || octets[from] != '0') && port <= MAX_PORT;
    }

    // ---- version 2

    /** Tells if the part before the addresses is valid in this version, and the addresses fit. */
    private boolean begun() {
        int command = octets[12] & 0xff;
        int rest = (octets[14] & 0xff) << 8 | octets[15] & 0xff;
        int addresses = command == LOCAL ? 0 : addressOctets(octets[13] & 0xff);
        total = FIXED + rest;
        kept = FIXED + (addresses == UNIX_OCTETS ? 0 : Math.max(addresses, 0));
        return (command == LOCAL || command == PROXY) && addresses >= 0 && addresses <= rest && total <= MOST_OCTETS;
    }

    private static int addressOctets(int family) {
        return switch (family) {
            case UNSPECIFIED -> 0;
            case TCP4 -> TCP4_OCTETS;
            case TCP6 -> TCP6_OCTETS;
            case UNIX -> UNIX_OCTETS;
            default -> -1;
        };
    }

    private Progress addresses() {
        int family = octets[13] & 0xff;
        if ((octets[12] & 0xff) == PROXY && (family == TCP4 || family == TCP6)) {
            source = text(Arrays.copyOfRange(octets, FIXED, FIXED + (family == TCP4 ? 4 : 16)));
        }
        return Progress.WHOLE;
    }

    private static String text(byte[] address) {
        try {
            return InetAddress.getByAddress(address).getHostAddress();
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }
}
