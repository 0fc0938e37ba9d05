package io.remora.config.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a listener protects its connections. Immutable.
 *
 * @param certificates one or more; the first is the default
 * @param trust whom clients' certificates may come from; null where they are not asked for one
 * @param maxHandshakes in flight at once
 * @param mode whether clients may do without
 * @param crl of clients' certificates that are revoked; null where that is not looked at
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
    /** The same for other protocols. */
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

    /** Whether clients may do without TLS. */
    public enum Mode {
        /** Whoever speaks plain HTTP is served as well. */
        PERMISSIVE,
        STRICT
    }

    /** What is wanted of a client's certificate. */
    public enum ClientCertificates {
        /** Clients are not asked. */
        OFF,
        /** Who shows one must show a good one. */
        OPTIONAL,
        /** Who shows none is refused in the handshake. */
        REQUIRED
    }
}
