package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.util.AsciiString;
import io.remora.http2.hpack.HpackEncoder;

/** A header section that is to be written: a head, or trailers. Nobody changes it until it has been. */
interface SentSection {
    /** Octets of a field line in addition to its text: three integers of six octets at most (RFC 7541 5.1). */
    int PREFIXES = 18;

    /** Returns the octets that it takes at most. */
    int mostOctets();

    /** Writes its lines, pseudo-fields first. */
    void writeTo(HpackEncoder encoder, ByteBuf out);

    /** Returns a section of names and values in turn. */
    static SentSection of(AsciiString[] pieces) {
        return new SentSection() {
            @Override
            public int mostOctets() {
                int most = pieces.length / 2 * PREFIXES;
                for (AsciiString piece : pieces) {
                    most += piece.length();
                }
                return most;
            }

            @Override
            public void writeTo(HpackEncoder encoder, ByteBuf out) {
                for (int i = 0; i < pieces.length; i += 2) {
                    encoder.line(out, pieces[i], pieces[i + 1], false);
                }
            }
        };
    }
}
