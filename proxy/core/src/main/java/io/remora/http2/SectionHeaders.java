package io.remora.http2;

import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.util.AsciiString;
import io.remora.http2.hpack.FieldSection;
import io.remora.http2.hpack.LineFacts;

/**
 * A section on its way through Netty's states of streams, which look at Content-Length and at a response's status, of
 * which they have copies.
 *
 * <p>Owner: one event loop; a section is read before the next one is decoded.
 */
@SuppressWarnings("serial") // nobody serialises it
final class SectionHeaders extends DefaultHttp2Headers {
    private static final AsciiString CONTENT_LENGTH = AsciiString.cached("content-length");
    private static final AsciiString STATUS = AsciiString.cached(":status");
    private static final int KNOWN_TO_NETTY = 2;

    private final FieldSection section = new FieldSection();

    SectionHeaders() {
        super(false, KNOWN_TO_NETTY);
    }

    FieldSection section() {
        return section;
    }

    /** Takes over what Netty looks at in the section. */
    void read() {
        clear();
        for (int i = 0; i < section.count(); i++) {
            int name = section.facts(i) & LineFacts.NAME;
            if (name == LineFacts.CONTENT_LENGTH) {
                add(CONTENT_LENGTH, value(i));
            } else if (name == LineFacts.STATUS) {
                add(STATUS, value(i));
            }
        }
    }

    private AsciiString value(int line) {
        int from = section.valueStart(line);
        return new AsciiString(section.array(), from, section.valueEnd(line) - from, true);
    }
}
