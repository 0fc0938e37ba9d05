package io.remora.config;

/** Which fields a listener adds to the requests it forwards. */
public record HeaderPolicy(
        ForwardingMode xForwardedFor,
        ForwardingMode xForwardedProto,
        ForwardingMode xForwardedHost,
        ForwardingMode forwarded,
        RequestIdMode requestId) {

    /** What happens to a field that tells the backend about the client. */
    public enum ForwardingMode {
        /** Whatever the client sent passes unchanged. */
        OFF,
        /** This hop's element goes behind what the client sent. */
        APPEND,
        /** What the client sent is dropped. */
        REPLACE
    }

    /** How an X-Request-Id is made for a request that has none. */
    public enum RequestIdMode {
        OFF,
        ULID,
        UUID
    }
}
