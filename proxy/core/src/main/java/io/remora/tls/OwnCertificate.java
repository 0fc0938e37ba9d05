package io.remora.tls;

import io.remora.config.TlsCertificate;
import io.remora.log.Log;
import org.jspecify.annotations.Nullable;

/**
 * A certificate that is shown to peers, as the log tells of it: whose it is, and when it expires.
 *
 * <p>Owner: one thread at a time.
 */
final class OwnCertificate {
    private static final long DAY_MS = 86_400_000L;

    /** With less than that left, a certificate is worth a warning: time enough for a person to see to it. */
    private static final int WARNING_DAYS = 14;

    private final String what;
    private final CertificateInfo info;
    private long nextWarningMs;

    /**
     * @param name whose it is, such as {@code listener in}
     * @param configured where it was read
     */
    OwnCertificate(String name, TlsCertificate configured, Credentials read) {
        this.info = info(read);
        this.what = name + ": certificate " + configured.chain().path() + ": " + info.names();
    }

    private static CertificateInfo info(Credentials read) {
        try {
            return CertificateInfo.of(read.chain().get(0));
        } catch (TlsException e) {
            throw new IllegalStateException("a certificate that was judged when it was read", e);
        }
    }

    long expiresMs() {
        return info.notAfterMs();
    }

    boolean isValidAt(long nowMs) {
        return info.isValidAt(nowMs);
    }

    String text(long nowMs) {
        long days = info.daysLeft(nowMs);
        String count = Math.abs(days) + (Math.abs(days) == 1 ? " day" : " days");
        String when = info.isValidAt(nowMs) ? "expires in " + count : "not valid yet";
        if (info.notAfterMs() < nowMs) {
            when = "expired " + count + " ago";
        }
        return what + "; " + when;
    }

    /** Logs it, as one that is in use from now on. */
    void tell(long nowMs) {
        String warning = warning(nowMs);
        if (warning != null) {
            Log.warn(warning);
        } else {
            Log.info(text(nowMs));
        }
    }

    /** That it expires soon, or has expired; null where that is not so, or was told within a day. */
    @Nullable
    String warning(long nowMs) {
        if (nowMs < nextWarningMs || info.daysLeft(nowMs) >= WARNING_DAYS) {
            return null;
        }
        nextWarningMs = nowMs + DAY_MS;
        return text(nowMs);
    }
}
