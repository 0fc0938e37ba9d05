package io.remora.config.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of a listener's connections. Immutable.
 *
 * @param certificates one or more; the first is the default
 * @param trust issuers of clients' certificates; null where clients get no request for one
 * @param maxHandshakes in flight at once
 * @param mode whether clients may do without
 * @param crl of clients' certificates that are revoked; null for no check
 * @param places of its keys
 */
public record ListenerTls(
        List<TlsCertificate> certificates,
        TlsProtocols protocols,
        ClientCertificates clientCertificates,
        @Nullable TlsFile trust,
        long handshakeTimeoutNs,
        int maxHandshakes,
        Mode mode,
        @Nullable TlsFile crl,
        TlsPlaces places) {
    /** Returns the same TLS with another offer of protocols. */
    public ListenerTls offering(List<String> alpn) {
        return new ListenerTls(
                certificates,
                protocols.offering(alpn),
                clientCertificates,
                trust,
                handshakeTimeoutNs,
                maxHandshakes,
                mode,
                crl,
                places);
    }

    /** The mode of TLS: whether clients may do without it. */
    public enum Mode {
        /** Clients of plain HTTP are served as well. */
        PERMISSIVE,
        STRICT
    }

    /** The demand for a client's certificate. */
    public enum ClientCertificates {
        /** Clients get no request for a certificate. */
        OFF,
        /** A client's certificate must be good, if it shows one. */
        OPTIONAL,
        /** A client without a certificate is refused in the handshake. */
        REQUIRED
    }
}
