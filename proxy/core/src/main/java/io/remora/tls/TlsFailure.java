package io.remora.tls;

import io.remora.transport.Handshake;
import java.util.Locale;

/** Reasons for which a connection could not be protected, or is protected no longer. */
public enum TlsFailure {
    /** The peer's octets are no TLS, or break the protocol. */
    PROTOCOL("the peer violated the TLS protocol"),
    /** The other side opened with a request in plain HTTP. */
    PLAIN_HTTP("the peer uses plain HTTP"),
    /** The two sides have no version, cipher, group or protocol in common. */
    NOTHING_IN_COMMON("no common protocol version, cipher suite or group with the peer"),
    /** The peer showed no certificate, and must. */
    CERTIFICATE_MISSING("the peer has no certificate"),
    /** The peer's certificate leads to none that is trusted, or is not fit for its use. */
    CERTIFICATE_UNTRUSTED("the peer's certificate is not trusted"),
    /** The peer's certificate, or one above it, is expired or not valid yet. */
    CERTIFICATE_NOT_VALID_NOW("the peer's certificate is not valid now"),
    /** The peer's certificate, or one above it, is revoked. */
    CERTIFICATE_REVOKED("the peer's certificate is revoked"),
    /** The issuer has a revocation list, and the list cannot be used. */
    REVOCATION_UNKNOWN("the revocation status of the peer's certificate is unknown"),
    /** The peer's certificate is somebody else's. */
    CERTIFICATE_NAME("the peer's certificate is not for the expected name"),
    /** The peer ended the handshake, or the connection, with an alert. */
    ALERT("the peer sent an alert"),
    /** The peer asked for a new handshake inside the connection, which is refused. */
    RENEGOTIATION("the peer asked for a renegotiation"),
    /** The connection ended without a close_notify, so that its last octets may be missing (RFC 9112 9.8). */
    TRUNCATED("the connection ended without a close_notify"),
    /** The handshake took longer than allowed. */
    TIMEOUT("it took too long"),
    /** The most handshakes that may be in flight are in flight. */
    BUSY("too many handshakes at once"),
    /** The memory of the handshake was needed for another one. */
    MEMORY("there is not enough memory"),
    /** Something was written after this side's close_notify. */
    CLOSED("this side has closed the connection"),
    /** The provider failed for a reason of its own. */
    INTERNAL("an internal error of the TLS provider");

    private final String words;

    TlsFailure(String words) {
        this.words = words;
    }

    /** Returns the label in metrics: the constant in lower case, with hyphens. */
    public String label() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Returns the failure of a handshake that this side cuts. */
    static TlsFailure of(Handshake.Cut reason) {
        if (reason == Handshake.Cut.TIME) {
            return TIMEOUT;
        }
        return reason == Handshake.Cut.MEMORY ? MEMORY : BUSY;
    }

    static String[] labels() {
        TlsFailure[] all = values();
        String[] labels = new String[all.length];
        for (int i = 0; i < all.length; i++) {
            labels[i] = all[i].label();
        }
        return labels;
    }

    /** Returns the text for logs. */
    public String words() {
        return words;
    }
}
