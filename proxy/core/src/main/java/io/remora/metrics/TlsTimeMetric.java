package io.remora.metrics;

/** The metrics of each listener and each cluster with TLS. {@link TlsTimes} has the numbers. */
public enum TlsTimeMetric implements Metric {
    HANDSHAKE(Family.histogram(
                    "remora_tls_handshake_seconds",
                    "Time from the first byte of a handshake to its completion.",
                    "handshake")
            .labels("resumed"));

    @SuppressWarnings("ImmutableEnumChecker") // its arrays are never written to
    private final Family family;

    TlsTimeMetric(Family family) {
        this.family = family.within("side", "name");
    }

    @Override
    public Family family() {
        return family;
    }
}
