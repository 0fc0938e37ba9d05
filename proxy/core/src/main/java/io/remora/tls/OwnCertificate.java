package io.remora.tls;

import io.remora.config.model.LogComponent;
import io.remora.log.Log;
import io.remora.tls.config.TlsCertificate;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A certificate that is shown to peers, as the log describes it: its owner, and its expiry.
 *
 * <p>Owner: one thread at a time.
 */
final class OwnCertificate {
    /** Days left from which a certificate is worth a warning: time enough for a person to see to it. */
    private static final int WARNING_DAYS = 14;

    private final String what;
    private final CertificateInfo info;
    /** Further facts about the certificate, at the end of a line; empty for none. */
    private final String more;

    private final Daily warned = new Daily();

    /**
     * @param name whose it is, such as {@code listener in}
     * @param configured where it was read
     * @param all of that listener or cluster
     * @param place of this one among them
     */
    OwnCertificate(String name, TlsCertificate configured, List<Credentials> all, int place) {
        this.info = info(all.get(place));
        int chain = all.get(place).chain().size();
        this.what = name + ": certificate " + configured.chain().path() + ", a chain of " + chain + ": " + info.names();
        List<String> taken = taken(all, place);
        this.more = taken.isEmpty() ? "" : "; never shown for " + String.join(", ", taken) + ": one before it has that";
    }

    /** The names that a certificate before it answers; one with a key of another kind may be for other clients. */
    private static List<String> taken(List<Credentials> all, int place) {
        Credentials own = all.get(place);
        List<String> taken = new ArrayList<>();
        for (Credentials before : all.subList(0, place)) {
            if (before.keyAlgorithm().equals(own.keyAlgorithm())) {
                taken.addAll(before.dnsNames());
            }
        }
        taken.retainAll(own.dnsNames());
        return taken;
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
        return what + "; " + when + more;
    }

    /** Logs the certificate as one that is in use from now on. */
    void tell(long nowMs) {
        String warning = warning(nowMs);
        if (warning != null) {
            Log.warn(LogComponent.TLS, warning);
        } else {
            Log.info(LogComponent.TLS, text(nowMs));
        }
    }

    /**
     * Returns the warning that it expires soon, or has expired; null where neither holds, or within a day of the last
     * warning.
     */
    @Nullable
    String warning(long nowMs) {
        return info.daysLeft(nowMs) < WARNING_DAYS && warned.isDue(nowMs) ? text(nowMs) : null;
    }
}
