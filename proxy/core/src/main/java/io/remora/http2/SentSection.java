package io.remora.http2;

import io.remora.http2.hpack.HeaderBlock;
import io.remora.http2.hpack.HpackEncoder;

/** A header section that is to be written: a head, or trailers. Nobody changes it until it has been. */
interface SentSection {
    /** Octets of a field line in addition to its text: three integers of six octets at most (RFC 7541 5.1). */
    int PREFIXES = 18;

    /** Returns the octets that it takes at most. */
    int mostOctets();

    /** Writes its lines, pseudo-fields first. */
    void writeTo(HpackEncoder encoder, HeaderBlock out);
}
