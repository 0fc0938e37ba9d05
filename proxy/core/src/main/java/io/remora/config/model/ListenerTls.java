package io.remora.config.model;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a listener protects its connections. Immutable.
 *
 * @param certificates one or more; the first is the default
 * @param minVersion {@code 1.2} or {@code 1.3}
 * @param ciphers by IANA's names, in order of preference; empty for the provider's choice
 * @param groups for the key exchange, by IANA's names; empty for the default
 * @param trust whom clients' certificates may come from; null where they are not asked for one
 * @param maxHandshakes in flight at once
 * @param mode whether clients may do without
 * @param crl of clients' certificates that are revoked; null where that is not looked at
 * @param places of its keys
 * @param alpn protocols that clients are offered, in order of preference
 */
public record ListenerTls(
        List<TlsCertificate> certificates,
        String minVersion,
        List<String> ciphers,
        List<String> groups,
        ClientCertificates clientCertificates,
        @Nullable TlsFile trust,
        long handshakeTimeoutNs,
        int maxHandshakes,
        Mode mode,
        @Nullable TlsFile crl,
        TlsPlaces places,
        List<String> alpn) {
    /** The same for other protocols. */
    public ListenerTls offering(List<String> protocols) {
        return new ListenerTls(
                certificates,
                minVersion,
                ciphers,
                groups,
                clientCertificates,
                trust,
                handshakeTimeoutNs,
                maxHandshakes,
                mode,
                crl,
                places,
                protocols);
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
