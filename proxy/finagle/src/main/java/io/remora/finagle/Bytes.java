package io.remora.finagle;

import com.twitter.io.Buf;
import com.twitter.io.Bufs;

/** Finagle's buffers as arrays and back, without a copy where there is one array below. */
@SuppressWarnings("deprecation") // the class that is meant to replace these has no name that Java can write
final class Bytes {
    private Bytes() {}

    /** Wraps an array, to which its owner no longer writes. */
    static Buf of(byte[] octets) {
        return Bufs.ownedBuf(octets);
    }

    /** Returns the octets, which are not to be written to. */
    static byte[] in(Buf buf) {
        return Bufs.ownedByteArray(buf);
    }
}
