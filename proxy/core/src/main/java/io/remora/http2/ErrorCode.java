package io.remora.http2;

/** Error codes of RST_STREAM and GOAWAY. Spec: RFC 9113 section 7. */
enum ErrorCode {
    NO_ERROR(0x0),
    PROTOCOL_ERROR(0x1),
    INTERNAL_ERROR(0x2),
    FLOW_CONTROL_ERROR(0x3),
    SETTINGS_TIMEOUT(0x4),
    STREAM_CLOSED(0x5),
    FRAME_SIZE_ERROR(0x6),
    REFUSED_STREAM(0x7),
    CANCEL(0x8),
    COMPRESSION_ERROR(0x9),
    CONNECT_ERROR(0xa),
    ENHANCE_YOUR_CALM(0xb),
    INADEQUATE_SECURITY(0xc),
    HTTP_1_1_REQUIRED(0xd);

    private static final ErrorCode[] BY_CODE = new ErrorCode[0xe];

    static {
        for (ErrorCode error : values()) {
            BY_CODE[error.code] = error;
        }
    }

    private final int code;

    ErrorCode(int code) {
        this.code = code;
    }

    /** Returns its number on the wire. */
    long code() {
        return code;
    }

    /**
     * @param code one of those that the RFC defines
     */
    static ErrorCode of(long code) {
        return BY_CODE[(int) code];
    }
}
