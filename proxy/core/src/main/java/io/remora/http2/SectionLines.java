package io.remora.http2;

import io.netty.util.AsciiString;

/** The field lines of a section that a client has sent, in their order, before they are judged. The codec makes them. */
interface SectionLines {
    int count();

    AsciiString name(int index);

    AsciiString value(int index);
}
