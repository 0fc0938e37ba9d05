package io.remora.flame;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** A message in protobuf's wire format, written field by field. Spec: protobuf.dev/programming-guides/encoding. */
final class ProtoMessage {
    private static final int TAG_BITS = 3;
    private static final int VARINT = 0;
    private static final int LENGTH = 2;
    private static final int GROUP_BITS = 7;
    private static final int GROUP = 1 << GROUP_BITS;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    ProtoMessage number(int field, long value) {
        varint(((long) field << TAG_BITS) | VARINT);
        varint(value);
        return this;
    }

    ProtoMessage text(int field, String value) {
        return bytes(field, value.getBytes(StandardCharsets.UTF_8));
    }

    ProtoMessage message(int field, ProtoMessage value) {
        return bytes(field, value.bytes.toByteArray());
    }

    private ProtoMessage bytes(int field, byte[] value) {
        varint(((long) field << TAG_BITS) | LENGTH);
        varint(value.length);
        bytes.write(value, 0, value.length);
        return this;
    }

    private void varint(long value) {
        long left = value;
        while ((left & -GROUP) != 0) {
            bytes.write((int) ((left & (GROUP - 1)) | GROUP));
            left >>>= GROUP_BITS;
        }
        bytes.write((int) left);
    }

    /** Writes what has been put in, and empties the message. */
    void flushTo(OutputStream out) throws IOException {
        bytes.writeTo(out);
        bytes.reset();
    }
}
