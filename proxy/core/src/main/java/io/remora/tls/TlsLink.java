package io.remora.tls;

import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;
import io.remora.transport.Link;
import org.jspecify.annotations.Nullable;

/**
 * A connection that is protected: the results of its handshake, and its end, which both sides announce in TLS.
 *
 * <p>Owner: its channel's event loop.
 */
final class TlsLink extends Link {
    private final TlsHandler handler;
    private @Nullable String identity;
    private @Nullable String version;
    private @Nullable String cipher;
    private @Nullable String certificate;
    /** True where that text has the certificate itself. */
    private boolean certificateWithPem;

    TlsLink(Channel channel, TlsHandler handler) {
        super(channel);
        this.handler = handler;
    }

    @Override
    public String scheme() {
        return "https";
    }

    @Override
    public @Nullable String peerIdentity() {
        if (identity == null) {
            TlsSession session = handler.openSession();
            identity = session == null ? "" : SubjectNames.identityOf(session.peerChain());
        }
        return identity.isEmpty() ? null : identity;
    }

    @Override
    public @Nullable String forwardedCertificate(boolean pem) {
        if (certificate == null || pem != certificateWithPem) {
            TlsSession session = handler.openSession();
            certificate = session == null ? "" : certificateOf(session, pem);
            certificateWithPem = pem;
        }
        return certificate.isEmpty() ? null : certificate;
    }

    private String certificateOf(TlsSession session, boolean pem) {
        byte[][] chain = session.peerChain();
        if (chain.length == 0) {
            return "";
        }
        String told = ForwardedCertificate.of(chain[0], session.ownCertificate(), pem);
        if (pem && !ForwardedCertificate.hasPem(told)) {
            handler.handshake().leftOut(chain[0].length);
        }
        return told;
    }

    @Override
    public @Nullable String tlsVersion() {
        if (version == null) {
            TlsSession session = handler.openSession();
            version = session == null ? null : session.version();
        }
        return version;
    }

    @Override
    public @Nullable String tlsCipher() {
        if (cipher == null) {
            TlsSession session = handler.openSession();
            cipher = session == null ? null : session.cipherSuite();
        }
        return cipher;
    }

    @Override
    public @Nullable String protocol() {
        TlsSession session = handler.openSession();
        return session == null ? null : session.protocol();
    }

    @Override
    public long unsent() {
        return super.unsent() + handler.heldOctets();
    }

    @Override
    public boolean hasUnsent() {
        return handler.heldOctets() > 0 || super.hasUnsent();
    }

    @Override
    protected void endOutput() {
        handler.endOutput();
    }

    @Override
    protected void abandon() {
        handler.abandon();
    }

    @Override
    protected boolean isInputEnded(DuplexChannel duplex) {
        return handler.isInputEnded() || super.isInputEnded(duplex);
    }
}
