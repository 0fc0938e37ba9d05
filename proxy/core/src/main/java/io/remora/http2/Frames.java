package io.remora.http2;

/** The numbers of frames: types, flags, settings and bounds. Spec: RFC 9113 sections 4.1, 6 and 6.5.2, RFC 8441 section 3. */
final class Frames {
    static final int HEADER_OCTETS = 9;
    /** Payload that every peer takes, and the least that one may allow. */
    static final int LEAST_FRAME = 1 << 14;

    static final int MOST_FRAME = (1 << 24) - 1;
    /** Window of a connection, and of streams before any settings. */
    static final int FIRST_WINDOW = 65_535;
    /** Octets of the compression table before any settings (RFC 7541 6.5.2). */
    static final int FIRST_TABLE = 4_096;

    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int PRIORITY = 2;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PUSH_PROMISE = 5;
    static final int PING = 6;
    static final int GOAWAY = 7;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;

    static final int ACK = 0x1;
    static final int END_STREAM = 0x1;
    static final int END_HEADERS = 0x4;
    static final int PADDED = 0x8;
    static final int PRIORITIZED = 0x20;

    static final int HEADER_TABLE_SIZE = 0x1;
    static final int ENABLE_PUSH = 0x2;
    static final int MAX_CONCURRENT_STREAMS = 0x3;
    static final int INITIAL_WINDOW_SIZE = 0x4;
    static final int MAX_FRAME_SIZE = 0x5;
    static final int MAX_HEADER_LIST_SIZE = 0x6;
    static final int ENABLE_CONNECT_PROTOCOL = 0x8;

    private Frames() {}
}
