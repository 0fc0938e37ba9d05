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
            identity = handler.peerIdentity();
        }
        return identity.isEmpty() ? null : identity;
    }

    @Override
    public @Nullable String forwardedCertificate(boolean pem) {
        if (certificate == null || pem != certificateWithPem) {
            certificate = handler.forwardedCertificate(pem);
            certificateWithPem = pem;
        }
        return certificate.isEmpty() ? null : certificate;
    }

    @Override
    public @Nullable String tlsVersion() {
        if (version == null) {
            version = handler.version();
        }
        return version;
    }

    @Override
    public @Nullable String tlsCipher() {
        if (cipher == null) {
            cipher = handler.cipherSuite();
        }
        return cipher;
    }

    @Override
    public @Nullable String protocol() {
        return handler.protocol();
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
