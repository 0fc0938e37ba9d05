package io.remora.http;

import org.jspecify.annotations.Nullable;

/**
 * A rule that a refused message has broken, named to help to mend its sender: {@code reason} in the access log, and a
 * word in the sidecar's own. docs/http-conformance.md has each by its name.
 *
 * <p>Spec: RFC 9110, 9112 and 9113, as named there.
 */
public enum Rule {
    // ---- of lines
    BARE_CR("bare-cr"),
    BARE_LF("bare-lf"),
    REQUEST_LINE("request-line"),
    STATUS_LINE("status-line"),
    LINE_TOO_LONG("line-too-long"),
    SPACE_BEFORE_FIELDS("space-before-fields"),
    FOLDED_LINE("folded-line"),
    SPACE_BEFORE_COLON("space-before-colon"),
    FIELD_NAME("field-name"),
    FIELD_VALUE("field-value"),
    UNDERSCORE("underscore"),
    FIELDS_TOO_LARGE("fields-too-large"),
    TOO_MANY_FIELDS("too-many-fields"),

    // ---- of whom a request is for
    TARGET("target"),
    HOST_MISSING("host-missing"),
    HOST_REPEATED("host-repeated"),
    HOST_INVALID("host-invalid"),
    HOST_DIFFERS("host-differs"),
    CONNECT_PORT("connect-port"),
    MAX_FORWARDS("max-forwards"),
    PATH_SPELLING("path-spelling"),
    PATH_REFUSED("path-refused"),
    PATH_DOTS("path-dots"),

    // ---- of framing
    LENGTH("content-length"),
    LENGTH_AND_CODING("length-and-coding"),
    LENGTH_DIFFERS("length-differs"),
    CODING_IN_OLD_VERSION("coding-in-http10"),
    CODING_REPEATED("coding-repeated"),
    CHUNKED_NOT_LAST("chunked-not-last"),
    CODING("transfer-coding"),
    CHUNK_SIZE("chunk-size"),
    CHUNK_EXTENSION("chunk-extension"),
    CHUNK_END("chunk-end"),
    CUT_SHORT("cut-short"),
    HIDDEN_BODY("hidden-body"),
    CONNECTION_OPTIONS("connection-options"),

    // ---- of responses
    STATUS("status"),
    SWITCH("unasked-switch"),
    TOO_MANY_INTERIMS("too-many-interims"),

    // ---- of HTTP/2
    PSEUDO_FIELD("pseudo-field"),
    CONNECTION_FIELD("connection-field"),
    END_OF_STREAM("end-of-stream"),
    CONTENT_OF_CONNECT("connect-content"),
    FRAMES("http2-frames"),

    // ---- no rules of HTTP, but the keys that say for how long a stream may rest
    BODY_IDLE("timeouts.body-idle"),
    /** The body's idle time, where a side takes none of the octets that wait for it. */
    UNTAKEN("timeouts.body-idle"),
    STREAM_IDLE("timeouts.stream-idle"),
    IDLE("timeouts.idle");

    private final String label;

    Rule(String label) {
        this.label = label;
    }

    /** Describes for a log how the rule was broken, and by which failure; {@code failure} is null for none. */
    public String what(@Nullable Failure failure) {
        return switch (this) {
            case BODY_IDLE -> "cut an idle stream; timeouts.stream-idle of its route sets the time";
            case UNTAKEN -> "cut a stream whose peer did not read; timeouts.body-idle of its listener sets the time";
            case STREAM_IDLE -> "cut an idle stream; its route sets the time";
            case IDLE -> "closed an idle tunnel; timeouts.stream-idle of its route sets the time";
            default ->
                failure == null
                        ? "refused a message"
                        : "refused a " + (failure.isBackends() ? "response" : "request") + ", " + failure.status() + ' '
                                + failure.label();
        };
    }

    /** Its name in logs and on the page. */
    public String label() {
        return label;
    }
}
