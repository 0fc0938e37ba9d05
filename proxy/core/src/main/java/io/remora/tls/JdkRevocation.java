package io.remora.tls;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXCertPathChecker;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks each certificate of a path up in the lists of its issuer, where the operator has given one: a step of the JDK's
 * validator, behind the signature of the certificate. Its own step for that wants a list of every issuer, and follows
 * one for a quarter of an hour after its end.
 *
 * <p>Owner: one validation, for which the validator copies it; the lists are shared. {@code
 * proxy/native/tls/revocation.c} is the same for OpenSSL.
 */
final class JdkRevocation extends PKIXCertPathChecker {
    /** Bit of a key usage that lets a key sign lists, as keyCertSign does for certificates (RFC 5280 4.2.1.3). */
    private static final int CRL_SIGN = 6;

    private final List<Signed> lists;
    private final X509Certificate[] anchors;
    /** Issuer of the certificate that is next; null for one of the anchors. */
    private @Nullable X509Certificate issuer;

    /**
     * @param lists in DER
     */
    JdkRevocation(List<byte[]> lists, X509Certificate[] anchors) throws TlsException {
        this.lists = new ArrayList<>(lists.size());
        this.anchors = anchors;
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (byte[] list : lists) {
                X509CRL crl = (X509CRL) factory.generateCRL(new ByteArrayInputStream(list));
                this.lists.add(new Signed(crl, RevocationList.of(list)));
            }
        } catch (GeneralSecurityException | IOException e) {
            throw TlsException.unusable("crl", "a revocation list cannot be used: " + e.getMessage());
        }
    }

    /** Returns when the first of the lists is outdated. */
    long endMs() {
        long endMs = Long.MAX_VALUE;
        for (Signed list : lists) {
            endMs = Math.min(endMs, list.told.nextUpdateMs());
        }
        return endMs;
    }

    /** Begins a path, which comes from its anchor down. */
    @Override
    public void init(boolean forward) throws CertPathValidatorException {
        if (forward) {
            throw new CertPathValidatorException("from the anchor only");
        }
        issuer = null;
    }

    @Override
    public boolean isForwardCheckingSupported() {
        return false;
    }

    @Override
    public Set<String> getSupportedExtensions() {
        return Set.of();
    }

    @Override
    public void check(Certificate next, Collection<String> unresolved) throws CertPathValidatorException {
        X509Certificate certificate = (X509Certificate) next;
        X509Certificate by = issuer == null ? anchorOf(certificate) : issuer;
        issuer = certificate;
        String problem = null;
        boolean isKnown = false;
        for (Signed list : lists) {
            if (list.crl.getIssuerX500Principal().equals(certificate.getIssuerX500Principal())) {
                String why = list.problem(by);
                isKnown |= why == null;
                problem = why == null || problem != null ? problem : why;
                if (why == null && list.crl.getRevokedCertificate(certificate) != null) {
                    throw new CertPathValidatorException("certificate revoked", null, null, -1, BasicReason.REVOKED);
                }
            }
        }
        if (problem != null && !isKnown) {
            throw new CertPathValidatorException(problem, null, null, -1, BasicReason.UNDETERMINED_REVOCATION_STATUS);
        }
    }

    private @Nullable X509Certificate anchorOf(X509Certificate certificate) {
        for (X509Certificate anchor : anchors) {
            if (anchor.getSubjectX500Principal().equals(certificate.getIssuerX500Principal())) {
                try {
                    certificate.verify(anchor.getPublicKey());
                    return anchor;
                } catch (GeneralSecurityException e) {
                    // another key of the same name
                }
            }
        }
        return null;
    }

    /** A list, and its signer where that is known: to verify a large one is the work of a handshake. Thread safe. */
    private static final class Signed {
        final X509CRL crl;
        private final RevocationList told;
        private volatile @Nullable PublicKey signer;

        Signed(X509CRL crl, RevocationList told) {
            this.crl = crl;
            this.told = told;
        }

        /** Returns why the list does not cover certificates that {@code by} has issued; null where it does. */
        @Nullable
        String problem(@Nullable X509Certificate by) {
            if (by == null || !isSignedWith(by.getPublicKey())) {
                return "the revocation list is not signed by the issuer";
            }
            boolean[] usage = by.getKeyUsage();
            if (usage != null && !usage[CRL_SIGN]) {
                return "the issuer may not sign revocation lists";
            }
            boolean isCurrent = told.isCurrentAt(System.currentTimeMillis());
            return isCurrent ? null : "the revocation list is outdated, or not valid yet";
        }

        private boolean isSignedWith(PublicKey key) {
            if (key.equals(signer)) {
                return true;
            }
            try {
                crl.verify(key);
                signer = key;
                return true;
            } catch (GeneralSecurityException e) {
                return false;
            }
        }
    }
}
