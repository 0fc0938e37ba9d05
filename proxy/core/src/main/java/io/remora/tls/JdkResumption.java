package io.remora.tls;

import io.netty.util.concurrent.FastThreadLocal;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIMatcher;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.net.ssl.StandardConstants;

/**
 * Checks a listener's connection where the JDK's engine resumes a session, as the engine does not check the client's
 * certificate then. The checks are of the name that the client asks for, of the session's age, and of the certificate
 * as in a full handshake. This matcher takes any name: that there is one makes the engine keep a session to the name
 * that the session was made for.
 *
 * <p>Only a full handshake of TLS 1.3 gives a ticket, so that no session outlives the ticket's time by being resumed
 * again and again. A ticket is encrypted with a key of its context, which the engine replaces: it is good for one
 * listener, one set of certificates, one bundle and one set of lists. Owner: one session.
 */
final class JdkResumption extends SNIMatcher {
    /** Time for which a key encrypts tickets, in seconds; for as long again the key decrypts them. */
    static final int TICKET_S = 1_800;

    /** Age after which no session is resumed. */
    static final long RESUMED_MS = 2_000L * TICKET_S;

    private static final String NO_TICKET = "io.remora.no-ticket";

    /** The engine on this thread that has chosen a certificate last, which only a full handshake does. */
    private static final FastThreadLocal<SSLEngine> CHOOSING = new FastThreadLocal<>();

    private final JdkTrust trust;
    private boolean named;
    private boolean judged;
    private boolean resumed;

    JdkResumption(JdkTrust trust) {
        super(StandardConstants.SNI_HOST_NAME);
        this.trust = trust;
    }

    /** The engine shows a certificate of this side. */
    static void choosing(SSLEngine engine) {
        CHOOSING.set(engine);
    }

    @Override
    public boolean matches(SNIServerName name) {
        named = true;
        return true;
    }

    boolean isResumed() {
        return resumed;
    }

    /**
     * Checks a handshake as soon as its kind is known. The client has not proved then that it knows the session's
     * secret, and only its hello has been read.
     *
     * @throws TlsException where what is resumed may not be
     */
    void judge(SSLEngine engine) throws TlsException {
        SSLSession session = engine.getHandshakeSession();
        if (judged || session == null) {
            return;
        }
        judged = true;
        resumed = CHOOSING.get() != engine;
        CHOOSING.remove();
        if (resumed) {
            // which gives no further ticket
            session.invalidate();
            check(session);
        } else if (!session.getProtocol().equals("TLSv1.3")) {
            // with a value of ours it has an empty one, for the hello has promised one
            session.putValue(NO_TICKET, NO_TICKET);
        }
    }

    private void check(SSLSession session) throws TlsException {
        boolean wasNamed = session instanceof ExtendedSSLSession extended
                && !extended.getRequestedServerNames().isEmpty();
        if (wasNamed && !named) {
            throw new TlsException(TlsFailure.PROTOCOL, "a session is resumed without its name");
        }
        long ageMs = System.currentTimeMillis() - session.getCreationTime();
        if (ageMs < 0 || ageMs >= RESUMED_MS) {
            throw new TlsException(TlsFailure.CERTIFICATE_NOT_VALID_NOW, "what is resumed was verified too long ago");
        }
        X509Certificate[] chain = chain(session);
        if (chain.length == 0) {
            return;
        }
        try {
            trust.checkAgain(chain);
        } catch (CertificateException e) {
            throw JdkFailures.of(e);
        }
    }

    private static X509Certificate[] chain(SSLSession session) {
        try {
            Certificate[] shown = session.getPeerCertificates();
            X509Certificate[] chain = new X509Certificate[shown.length];
            for (int i = 0; i < chain.length; i++) {
                chain[i] = (X509Certificate) shown[i];
            }
            return chain;
        } catch (SSLPeerUnverifiedException e) {
            return new X509Certificate[0];
        }
    }
}
