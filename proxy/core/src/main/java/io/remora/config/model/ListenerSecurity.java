package io.remora.config.model;

/** The TLS of connections to a listener, as parts see it that know nothing else of it. */
public interface ListenerSecurity {
    /** Returns whether clients may prove an identity. */
    boolean asksForCertificates();

    /** Returns whether clients have to prove one. */
    boolean requiresCertificates();

    /** Returns the time from the accept to the end of the handshake. */
    long handshakeTimeoutNs();
}
