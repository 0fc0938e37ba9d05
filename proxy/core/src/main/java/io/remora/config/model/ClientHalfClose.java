package io.remora.config.model;

/** The fate of an HTTP/1 request whose client ends its side of the connection while it waits for the response. */
public enum ClientHalfClose {
    /** The client is taken to be gone: the request ends at once. */
    CANCEL,
    /** The client is taken to wait: the request goes on for as long as something of its response moves within {@code timeouts.idle}. */
    SERVE
}
