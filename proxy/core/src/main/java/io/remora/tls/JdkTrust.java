package io.remora.tls;

import java.io.ByteArrayInputStream;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.TrustAnchor;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Verifies a peer inside the handshake: its chain by the JDK's validator, then its names. The JDK's own check of names is
 * not asked for.
 *
 * <p>Thread safe.
 */
final class JdkTrust extends X509ExtendedTrustManager {
    private static final X509Certificate[] NONE = {};
    /** Stand-in for the name of a key exchange, which a client's certificate has no part in. */
    private static final String RESUMED = "UNKNOWN";

    private final boolean verifies;
    /** Null where nobody is trusted, or nobody is verified. */
    private final @Nullable X509ExtendedTrustManager validator;

    private final @Nullable PeerNames names;
    /** Time at which the first of the lists is outdated. */
    private final long listsEndMs;

    /** Creates a trust that verifies nobody. */
    JdkTrust() {
        verifies = false;
        validator = null;
        names = null;
        listsEndMs = Long.MAX_VALUE;
    }

    /**
     * @param anchors in DER; none for nobody
     * @param revoked revocation lists in DER
     * @param names null for any
     */
    JdkTrust(List<byte[]> anchors, List<byte[]> revoked, @Nullable PeerNames names) throws TlsException {
        this.verifies = true;
        this.names = names;
        X509Certificate[] trusted = certificates(anchors);
        JdkRevocation lists = revoked.isEmpty() ? null : new JdkRevocation(revoked, trusted);
        this.listsEndMs = lists == null ? Long.MAX_VALUE : lists.endMs();
        this.validator = trusted.length == 0 ? null : validator(trusted, lists);
    }

    static X509ExtendedTrustManager validator(X509Certificate[] certificates, @Nullable JdkRevocation lists)
            throws TlsException {
        Set<TrustAnchor> anchors = new HashSet<>();
        for (X509Certificate certificate : certificates) {
            anchors.add(new TrustAnchor(certificate, null));
        }
        try {
            PKIXBuilderParameters parameters = new PKIXBuilderParameters(anchors, new X509CertSelector());
            parameters.setRevocationEnabled(false);
            if (lists != null) {
                parameters.addCertPathChecker(lists);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(new CertPathTrustManagerParameters(parameters));
            for (TrustManager made : factory.getTrustManagers()) {
                if (made instanceof X509ExtendedTrustManager extended) {
                    return extended;
                }
            }
            throw new TlsException(TlsFailure.INTERNAL, "the JDK has no validator of certificates");
        } catch (GeneralSecurityException e) {
            throw TlsException.unusable("trust", "certificates cannot be trusted: " + e.getMessage());
        }
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        if (verifies) {
            validator().checkClientTrusted(chain, authType, engine);
            if (engine != null && endsSoon(chain)) {
                // before a ticket is given: who comes back shows what is valid then
                engine.getHandshakeSession().invalidate();
            }
        }
    }

    /** Verifies a client whose session is resumed, as if it had shown its certificate now. */
    void checkAgain(X509Certificate[] chain) throws CertificateException {
        validator().checkClientTrusted(chain, RESUMED);
    }

    private boolean endsSoon(X509Certificate[] chain) {
        long endMs = System.currentTimeMillis() + JdkResumption.RESUMED_MS;
        boolean soon = endMs > listsEndMs;
        for (X509Certificate certificate : chain) {
            soon |= certificate.getNotAfter().toInstant().toEpochMilli() < endMs;
        }
        return soon;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
            throws CertificateException {
        if (!verifies) {
            return;
        }
        validator().checkServerTrusted(chain, authType, engine);
        if (names != null) {
            try {
                names.verify(chain[0].getEncoded());
            } catch (TlsException e) {
                throw new CertificateException(e.getMessage(), e);
            }
        }
    }

    private X509ExtendedTrustManager validator() throws CertificateException {
        if (validator == null) {
            throw new CertificateException("no certificate is trusted");
        }
        return validator;
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return validator == null ? NONE : validator.getAcceptedIssuers();
    }

    // ---- not asked for engines

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        throw new CertificateException("engines only");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
            throws CertificateException {
        throw new CertificateException("engines only");
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        throw new CertificateException("engines only");
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
        throw new CertificateException("engines only");
    }

    // ---- DER to the JDK's types

    static X509Certificate[] certificates(List<byte[]> der) throws TlsException {
        X509Certificate[] certificates = new X509Certificate[der.size()];
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            for (int i = 0; i < certificates.length; i++) {
                ByteArrayInputStream in = new ByteArrayInputStream(der.get(i));
                certificates[i] = (X509Certificate) factory.generateCertificate(in);
            }
        } catch (GeneralSecurityException e) {
            throw TlsException.unusable("chain", "a certificate cannot be used: " + e.getMessage());
        }
        return certificates;
    }
}
