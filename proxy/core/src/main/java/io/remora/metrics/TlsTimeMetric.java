package io.remora.metrics;

/** What is measured for each listener and each cluster that has TLS. {@link TlsTimes} has its numbers. */
public enum TlsTimeMetric implements Metric {
    HANDSHAKE(Family.histogram(
                    "remora_tls_handshake_seconds",
                    "From the first octets of a handshake to its end, where that is a connection.",
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
