package io.remora.tls;

import io.netty.buffer.ByteBuf;

/** The outside of TLS records (RFC 8446 5.1). */
final class Records {
    static final int HEADER = 5;
    static final int HANDSHAKE = 22;

    /** The content, and what TLS 1.2 lets encryption add (RFC 5246 6.2.3). */
    static final int MAX_OCTETS = HEADER + TlsSession.MAX_RECORD_CONTENT + 2_048;

    private static final int FIRST_TYPE = 20;
    private static final int LAST_TYPE = 23;
    private static final int MAJOR_VERSION = 3;

    private Records() {}

    /** The octets of the record that begins at {@code index}, of which the header must be there. */
    static int lengthAt(ByteBuf wire, int index) throws TlsException {
        int type = wire.getUnsignedByte(index);
        int length = HEADER + wire.getUnsignedShort(index + 3);
        if (type < FIRST_TYPE || type > LAST_TYPE || wire.getByte(index + 1) != MAJOR_VERSION || length > MAX_OCTETS) {
            throw new TlsException(TlsFailure.PROTOCOL, "not a record of TLS");
        }
        return length;
    }

    static int typeAt(ByteBuf wire, int index) {
        return wire.getUnsignedByte(index);
    }
}
