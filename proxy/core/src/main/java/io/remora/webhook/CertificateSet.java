package io.remora.webhook;

import io.remora.tls.CertificateInfo;
import io.remora.tls.PemText;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The webhook's authority and the certificate that it shows, and when they are due for others. Immutable.
 *
 * <p>An authority that follows another one signs nothing before API servers trust it: the bundle has both, and the
 * serving certificate moves later. The former one leaves the bundle once no replica shows a certificate of it.
 *
 * @param authority the current one first in its bundle, whose key it has; former ones after it
 * @param serving the certificate that the server shows
 */
record CertificateSet(Certificate authority, Certificate serving) {
    /** Time in which all API servers come to trust a new authority. */
    static final long TRUSTED_MS = 600_000;
    /** Time in which all replicas come to show a new certificate. */
    static final long SHOWN_MS = 3_600_000;

    /** Issues both. */
    static CertificateSet first(Issuer issuer, List<String> names, long nowMs) throws IOException {
        Certificate authority = issuer.authority(nowMs);
        return new CertificateSet(authority, issuer.serving(authority, names, nowMs));
    }

    /**
     * Returns the set that is to replace it at that time; null where it is good for longer.
     *
     * @throws IOException where the authority cannot be read
     */
    @Nullable
    CertificateSet due(Issuer issuer, List<String> names, long nowMs) throws IOException {
        List<byte[]> bundle = authority.der();
        CertificateInfo above = CertificateInfo.of(bundle.get(0));
        PemText.key(authority.key());
        if (!above.isValidAt(nowMs)) {
            return first(issuer, names, nowMs);
        }
        CertificateInfo shown = readable();
        if (shown == null) {
            // the authority is trusted already, so another one would cost calls
            return new CertificateSet(authority, issuer.serving(authority, names, nowMs));
        }
        boolean usable =
                shown.isValidAt(nowMs) && shown.names().dns().containsAll(names) && isIssuedByOneOf(bundle, shown);
        boolean settled = nowMs - issuedMs(above) >= TRUSTED_MS;
        boolean isOfFormer = !shown.isIssuedBy(above);
        if (!usable || settled && (isOfFormer || isPast(shown, Issuer.SERVING_MS, nowMs))) {
            return new CertificateSet(authority, issuer.serving(authority, names, nowMs));
        }
        if (isPast(above, Issuer.AUTHORITY_MS, nowMs)) {
            return new CertificateSet(issuer.authority(nowMs), serving).trusting(this, nowMs);
        }
        boolean drops = bundle.size() > 1 && !isOfFormer && nowMs - issuedMs(shown) >= SHOWN_MS;
        return drops
                ? new CertificateSet(
                        new Certificate(PemText.write(PemText.CERTIFICATE, bundle.get(0)), authority.key()), serving)
                : null;
    }

    /** Returns what the serving certificate says; null where it is missing or broken. */
    private @Nullable CertificateInfo readable() {
        try {
            PemText.key(serving.key());
            return serving.info();
        } catch (IOException e) {
            return null;
        }
    }

    /** Returns the same set with another one's current authority in its bundle. */
    CertificateSet trusting(CertificateSet former, long nowMs) throws IOException {
        byte[] other = former.authority.der().get(0);
        return CertificateInfo.of(other).isValidAt(nowMs)
                ? new CertificateSet(
                        new Certificate(authority.pem() + PemText.write(PemText.CERTIFICATE, other), authority.key()),
                        serving)
                : this;
    }

    private static boolean isIssuedByOneOf(List<byte[]> bundle, CertificateInfo shown) throws IOException {
        for (byte[] one : bundle) {
            if (shown.isIssuedBy(CertificateInfo.of(one))) {
                return true;
            }
        }
        return false;
    }

    private static long issuedMs(CertificateInfo certificate) {
        return certificate.notBeforeMs() + Issuer.BACKDATED_MS;
    }

    /** Returns whether two thirds of its life are over. */
    private static boolean isPast(CertificateInfo certificate, long lifeMs, long nowMs) {
        return nowMs - issuedMs(certificate) >= lifeMs / 3 * 2;
    }
}
