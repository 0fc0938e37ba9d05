package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/** The metrics of each listener and each cluster with TLS, one line per family. */
public enum TlsMetric implements Metric {
    HANDSHAKES(counter("remora_tls_handshakes_total", "Handshakes that succeeded.")),
    FAILURES(counter("remora_tls_handshake_failures_total", "Handshakes that failed, by reason.")
            .by("reason")),
    PLAIN(counter("remora_tls_plain_connections_total", "Connections without TLS in permissive mode.")),
    PLAIN_ACTIVE(gauge("remora_tls_plain_connections_active", "Open connections without TLS.")),
    RELOADS(counter("remora_tls_reloads_total", "Reloads of changed files, by outcome.")
            .by("outcome", "taken", "refused")),
    EXPIRES(gauge(
            "remora_tls_certificate_expires_seconds",
            "Earliest expiry of the certificates, in seconds since 1970; 0 without one.")),
    CRL_EXPIRES(gauge(
            "remora_tls_crl_expires_seconds",
            "Earliest expiry of the revocation lists, in seconds since 1970; 0 without one.")),
    UNVERIFIED(gauge("remora_tls_unverified", "1 while verification of the peer is switched off."));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    TlsMetric(Family family) {
        this.family = family.within("side", "name");
    }

    @Override
    public Family family() {
        return family;
    }
}
