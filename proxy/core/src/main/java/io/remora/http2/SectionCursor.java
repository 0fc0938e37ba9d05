package io.remora.http2;

import io.netty.util.AsciiString;

/** The field lines of a section that an endpoint has sent, one after the other, once each. The codec makes it. */
interface SectionCursor {
    /** Returns how many lines there are, seen or not. */
    int size();

    /** Moves to the next line; false behind the last one. */
    boolean next();

    AsciiString name();

    AsciiString value();
}
