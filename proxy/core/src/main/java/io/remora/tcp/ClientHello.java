package io.remora.tcp;

import io.netty.buffer.ByteBuf;
import io.remora.text.Ascii;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Reads the name of the server out of a TLS client's first message, however it comes in pieces. What is no such message has
 * none, and so has one that breaks a rule: whom it is passed on to will say so.
 *
 * <p>Owner: one connection. Bounds: a message of {@link #MAX_OCTETS}; a larger one has no name. Cost: each octet is looked at
 * once. Spec: RFC 8446 4.1.2 and 5.1, RFC 6066 section 3.
 */
final class ClientHello {
    /** Longest message; those of browsers have up to 2 KiB. */
    static final int MAX_OCTETS = 16 << 10;

    private static final int HANDSHAKE = 22;
    private static final int MAJOR_VERSION = 3;
    private static final int MAX_RECORD = 16 << 10;
    private static final int RECORD_HEADER = 5;
    private static final int CLIENT_HELLO = 1;
    private static final int MESSAGE_HEADER = 4;
    private static final int VERSION_AND_RANDOM = 34;
    private static final int SERVER_NAME = 0;
    private static final int HOST_NAME = 0;
    private static final int MAX_NAME = 253;
    private static final int FIRST_OCTETS = 512;

    private byte[] message = new byte[0];
    private int octets;
    /** Octets of the current record's header that have come. */
    private int header;
    /** Octets left of the current record, once its header is whole. */
    private int left;

    /**
     * Reads {@code bytes}, which stay where they are.
     *
     * @return in lower case; empty for none, null while it is not known
     */
    @Nullable
    String read(ByteBuf bytes) {
        int at = bytes.readerIndex();
        int end = bytes.writerIndex();
        while (at < end) {
            if (header < RECORD_HEADER) {
                if (!isHeader(bytes.getUnsignedByte(at++))) {
                    return "";
                }
            } else {
                int some = Math.min(left, end - at);
                add(bytes, at, some);
                at += some;
                left -= some;
                header = left == 0 ? 0 : header;
                if (octets > 0 && message[0] != CLIENT_HELLO || octets >= MESSAGE_HEADER && length() > MAX_OCTETS) {
                    return "";
                }
                if (octets >= MESSAGE_HEADER && octets >= length()) {
                    return name();
                }
            }
        }
        return null;
    }

    private boolean isHeader(int octet) {
        return switch (header++) {
            case 0 -> octet == HANDSHAKE;
            case 1 -> octet == MAJOR_VERSION;
            case 2 -> true;
            case 3 -> {
                left = octet << 8;
                yield left <= MAX_RECORD;
            }
            default -> {
                left += octet;
                // an empty one of a handshake is against the rules, and could go on for ever
                yield left > 0 && left <= MAX_RECORD;
            }
        };
    }

    private void add(ByteBuf bytes, int at, int some) {
        if (octets + some > message.length) {
            message = Arrays.copyOf(message, Math.max(FIRST_OCTETS, Math.max(2 * message.length, octets + some)));
        }
        bytes.getBytes(at, message, octets, some);
        octets += some;
    }

    /** Returns the length of the message, its header included. */
    private int length() {
        return MESSAGE_HEADER + ((message[1] & 0xff) << 16 | u16(2));
    }

    private int u8(int at) {
        return message[at] & 0xff;
    }

    private int u16(int at) {
        return u8(at) << 8 | u8(at + 1);
    }

    // ---- the message, which is whole

    private String name() {
        int end = length();
        int at = MESSAGE_HEADER + VERSION_AND_RANDOM;
        // the session, the cipher suites, the compression methods
        at = at + 1 <= end ? at + 1 + u8(at) : end;
        at = at + 2 <= end ? at + 2 + u16(at) : end;
        at = at + 1 <= end ? at + 1 + u8(at) : end;
        if (at + 2 > end || at + 2 + u16(at) != end) {
            return "";
        }
        at += 2;
        while (at + 4 <= end) {
            int type = u16(at);
            int from = at + 4;
            at = from + u16(at + 2);
            if (type == SERVER_NAME && at <= end) {
                return hostName(from, at);
            }
        }
        return "";
    }

    private String hostName(int from, int to) {
        // a list, of which no more than one of each type may be there, and no other type was ever given a meaning
        if (to - from < 5 || u16(from) != to - from - 2 || u8(from + 2) != HOST_NAME) {
            return "";
        }
        int length = u16(from + 3);
        int start = from + 5;
        if (length == 0 || length > MAX_NAME || start + length > to) {
            return "";
        }
        for (int i = start; i < start + length; i++) {
            if (!Ascii.isAlphanumeric((char) u8(i)) && "-._".indexOf(u8(i)) < 0) {
                return "";
            }
        }
        return new String(message, start, length, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
    }
}
