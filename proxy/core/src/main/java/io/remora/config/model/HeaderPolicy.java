package io.remora.config.model;

/**
 * The fields that a listener adds to the requests it forwards, and those that it does not let through.
 *
 * @param clientCertPem whether X-Forwarded-Client-Cert has the certificate itself
 */
public record HeaderPolicy(
        ForwardingMode xForwardedFor,
        ForwardingMode xForwardedProto,
        ForwardingMode xForwardedHost,
        ForwardingMode forwarded,
        ForwardingMode xForwardedClientCert,
        boolean clientCertPem,
        RequestIdMode requestId,
        Underscores underscores) {

    /** The treatment of a field that tells the backend about the client. */
    public enum ForwardingMode {
        /** The client's field passes unchanged. */
        OFF,
        /** This hop's element goes behind the client's field. */
        APPEND,
        /** This hop's field replaces the client's. */
        REPLACE,
        /** The client's field is dropped, and nothing takes its place. */
        SANITIZE
    }

    /** The form of the X-Request-Id that a request without one gets. */
    public enum RequestIdMode {
        OFF,
        ULID,
        UUID
    }

    /** The treatment of a field whose name contains an underscore, which some applications take for a hyphen. */
    public enum Underscores {
        /** The field is forwarded, as any field that nobody recognises (RFC 9110 5.1). */
        PASS,
        /** The request is forwarded without it. */
        DROP,
        /** The request is answered with 400. */
        REJECT
    }
}
