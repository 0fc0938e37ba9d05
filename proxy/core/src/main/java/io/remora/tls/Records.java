package io.remora.tls;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Cuts received octets into TLS records, and keeps the one that is not whole. Spec: RFC 8446 5.1.
 *
 * <p>Owner: one session.
 */
final class Records {
    static final int HEADER = 5;
    static final int HANDSHAKE = 22;

    /** The first octet of every version. */
    static final int MAJOR_VERSION = 3;

    /** The content, and what TLS 1.2 lets encryption add (RFC 5246 6.2.3). */
    static final int MAX_OCTETS = HEADER + TlsSession.MAX_RECORD_CONTENT + 2_048;

    private @Nullable ByteBuf part;
    private boolean inPart;
    private int length;

    /**
     * Returns a buffer with the next whole record at its reader index; {@link #done} follows. Returns null where more
     * has to come, and has taken all of {@code wire} then.
     */
    @Nullable
    ByteBuf next(ByteBuf wire) throws TlsException {
        int available = wire.readableBytes();
        if (part == null && available >= HEADER) {
            length = lengthAt(wire, wire.readerIndex());
            if (length <= available) {
                inPart = false;
                return wire;
            }
        }
        ByteBuf into = part;
        if (into == null) {
            into = wire.alloc().directBuffer(HEADER, MAX_OCTETS);
            part = into;
        }
        if (into.readableBytes() < HEADER) {
            take(wire, into, HEADER);
        }
        if (into.readableBytes() < HEADER) {
            return null;
        }
        length = lengthAt(into, 0);
        take(wire, into, length);
        inPart = true;
        return into.readableBytes() == length ? into : null;
    }

    private static void take(ByteBuf wire, ByteBuf into, int upTo) {
        into.ensureWritable(upTo - into.writerIndex());
        wire.readBytes(into, Math.min(wire.readableBytes(), upTo - into.writerIndex()));
    }

    /** Octets of the record that came last, its header included. */
    int length() {
        return length;
    }

    /** The record that came last has been taken. */
    void done(ByteBuf record) {
        if (inPart) {
            release();
        } else {
            record.skipBytes(length);
        }
    }

    /** Octets that wait for more. */
    int kept() {
        return part == null ? 0 : part.readableBytes();
    }

    void release() {
        if (part != null) {
            part.release();
            part = null;
        }
    }

    /** Octets of the record that begins at {@code index}, whose header must be there; the engine judges its type. */
    private static int lengthAt(ByteBuf wire, int index) throws TlsException {
        int length = HEADER + wire.getUnsignedShort(index + 3);
        if (wire.getByte(index + 1) != MAJOR_VERSION || length > MAX_OCTETS) {
            throw new TlsException(TlsFailure.PROTOCOL, "not a record of TLS");
        }
        return length;
    }

    static int typeAt(ByteBuf wire, int index) {
        return wire.getUnsignedByte(index);
    }
}
