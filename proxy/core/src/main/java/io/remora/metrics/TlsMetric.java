package io.remora.metrics;

import static io.remora.metrics.Family.counter;
import static io.remora.metrics.Family.gauge;

/** What is counted for each listener and each cluster that has TLS, one line a family of series. */
public enum TlsMetric implements Metric {
    HANDSHAKES(counter("remora_tls_handshakes_total", "Handshakes that ended with a connection.")),
    FAILURES(counter("remora_tls_handshake_failures_total", "Handshakes that failed, by reason.")
            .by("reason")),
    PLAIN(counter("remora_tls_plain_connections_total", "Connections without TLS, where that is permitted.")),
    PLAIN_ACTIVE(gauge("remora_tls_plain_connections_active", "Of these, the ones that are open.")),
    RELOADS(counter("remora_tls_reloads_total", "Changed files that were taken, or refused in favour of those before.")
            .by("outcome", "taken", "refused")),
    EXPIRES(gauge(
            "remora_tls_certificate_expires_seconds",
            "When the first of its own certificates expires, in seconds since 1970; 0 without one.")),
    CRL_EXPIRES(gauge(
            "remora_tls_crl_expires_seconds",
            "When the first of its revocation lists is outdated, in seconds since 1970; 0 without one.")),
    UNVERIFIED(gauge("remora_tls_unverified", "1 where the peer is not verified, because that is switched off."));

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
