package io.remora.flame;

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Values as a file of JFR has them. {@link #size} is the position. Spec: the JDK's jdk.jfr.internal.EventWriter. */
final class JfrOutput extends DataOutputStream {
    /** Bytes of a number that is written before its value is known. */
    static final int WIDE = 5;

    private static final int UTF_8 = 3;
    private static final int GROUP_BITS = 7;
    private static final int GROUP = 1 << GROUP_BITS;

    JfrOutput(OutputStream out) {
        super(out);
    }

    /** Writes a number in as few bytes as it needs, from 0 to 2^56 - 1. */
    JfrOutput number(long value) throws IOException {
        long left = value;
        while (left >= GROUP) {
            write((int) (left % GROUP) + GROUP);
            left >>>= GROUP_BITS;
        }
        write((int) left);
        return this;
    }

    /** Writes a number in {@value #WIDE} bytes. */
    JfrOutput wide(int value) throws IOException {
        for (int i = 0; i < WIDE - 1; i++) {
            write((value >>> (GROUP_BITS * i)) % GROUP + GROUP);
        }
        write(value >>> (GROUP_BITS * (WIDE - 1)));
        return this;
    }

    JfrOutput text(String value) throws IOException {
        byte[] octets = value.getBytes(StandardCharsets.UTF_8);
        write(UTF_8);
        number(octets.length).write(octets);
        return this;
    }
}
