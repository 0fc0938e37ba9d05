package io.remora.tls;

import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;

/** Maps the engine's exceptions to failures. Where it has no type for a failure, its message has to do. */
final class JdkFailures {
    private static final String[] NOTHING_IN_COMMON = {
        "no cipher suites in common",
        "No appropriate protocol",
        "requested protocol version",
        "is not supported or accepted",
        "is not enabled or supported",
        "application layer protocol",
        "No supported signature",
        "no available authentication scheme"
    };

    private JdkFailures() {}

    static TlsException of(Exception e) {
        TlsFailure failure = TlsFailure.PROTOCOL;
        for (Throwable at = e; at != null; at = at.getCause()) {
            if (at instanceof TlsException own) {
                return own;
            }
            if (at instanceof CertificateException && failure == TlsFailure.PROTOCOL) {
                failure = TlsFailure.CERTIFICATE_UNTRUSTED;
            }
            if (isAboutTime(at)) {
                failure = TlsFailure.CERTIFICATE_NOT_VALID_NOW;
            }
            if (at instanceof CertPathValidatorException path) {
                failure = byRevocation(path, failure);
            }
        }
        String message = String.valueOf(e.getMessage());
        return new TlsException(failure == TlsFailure.PROTOCOL ? byMessage(message) : failure, message);
    }

    private static TlsFailure byRevocation(CertPathValidatorException path, TlsFailure otherwise) {
        if (path.getReason() == BasicReason.REVOKED) {
            return TlsFailure.CERTIFICATE_REVOKED;
        }
        boolean isUnknown = path.getReason() == BasicReason.UNDETERMINED_REVOCATION_STATUS;
        return isUnknown ? TlsFailure.REVOCATION_UNKNOWN : otherwise;
    }

    private static boolean isAboutTime(Throwable cause) {
        if (cause instanceof CertPathValidatorException path) {
            return path.getReason() == BasicReason.EXPIRED || path.getReason() == BasicReason.NOT_YET_VALID;
        }
        return cause instanceof CertificateExpiredException || cause instanceof CertificateNotYetValidException;
    }

    private static TlsFailure byMessage(String message) {
        if (message.contains("fatal alert")) {
            return TlsFailure.ALERT;
        }
        if (message.contains("Empty client certificate chain") || message.contains("Empty server certificate chain")) {
            return TlsFailure.CERTIFICATE_MISSING;
        }
        for (String words : NOTHING_IN_COMMON) {
            if (message.contains(words)) {
                return TlsFailure.NOTHING_IN_COMMON;
            }
        }
        return TlsFailure.PROTOCOL;
    }
}
