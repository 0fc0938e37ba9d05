package io.remora.tls.openssl;

import io.remora.tls.ClientAuth;
import io.remora.tls.ClientSettings;
import io.remora.tls.Credentials;
import io.remora.tls.PeerNames;
import io.remora.tls.ServerSettings;
import io.remora.tls.TlsContext;
import io.remora.tls.TlsException;
import io.remora.tls.TlsFailure;
import io.remora.tls.TlsSession;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A context of OpenSSL. A listener with several certificates has one for each, and the first holds the others.
 *
 * <p>Thread safe. Sessions are resumed by tickets. Their keys are the context's own, so that no session outlives its
 * certificates, its trust or its revocation lists. Names and validity of the peer's certificate are checked again.
 */
final class OpenSslContext extends TlsContext {
    /**
     * Age after which a peer shows its certificate again, and keys of tickets are replaced: an hour costs next to
     * nothing.
     */
    private static final int RESUMED_S = 3_600;

    private final @Nullable String serverName;
    /** Address of the context, 0 once it is released. */
    private long context;

    private OpenSslContext(long context, @Nullable String serverName) {
        this.context = context;
        this.serverName = serverName;
    }

    static OpenSslContext server(ServerSettings settings) throws TlsException {
        List<Credentials> all = settings.credentials();
        try (ContextBuilder first = new ContextBuilder(true)) {
            ClientAuth auth = settings.clientAuth();
            if (auth != null) {
                first.trust(auth.trust());
                first.refuse(auth.revoked());
            }
            for (int i = 0; i < all.size(); i++) {
                try (ContextBuilder other = new ContextBuilder(true)) {
                    ContextBuilder one = i == 0 ? first : other;
                    fill(one, settings, i);
                    first.serve(all.get(i).dnsNames(), one);
                }
            }
            return new OpenSslContext(first.take(), null);
        }
    }

    private static void fill(ContextBuilder builder, ServerSettings settings, int place) throws TlsException {
        builder.agreeOn(settings.protocols());
        builder.show(settings.credentials().get(place));
        builder.resume(place, RESUMED_S);
        ClientAuth auth = settings.clientAuth();
        if (auth != null) {
            builder.ask(auth.required());
        }
    }

    static OpenSslContext client(ClientSettings settings) throws TlsException {
        try (ContextBuilder builder = new ContextBuilder(false)) {
            builder.agreeOn(settings.protocols());
            builder.resume(0, RESUMED_S);
            PeerNames peer = settings.peer();
            if (peer != null) {
                List<byte[]> trust = settings.trust();
                builder.trust(trust == null ? List.of() : trust);
                builder.refuse(settings.revoked());
                builder.expect(peer);
                builder.ask(true);
            }
            Credentials own = settings.credentials();
            if (own != null) {
                builder.show(own);
            }
            return new OpenSslContext(builder.take(), settings.serverName());
        }
    }

    @Override
    public TlsSession newSession() throws TlsException {
        return newSession(null);
    }

    @Override
    public synchronized TlsSession newSession(@Nullable SocketAddress peer) throws TlsException {
        long connection = context == 0 ? 0 : OpenSsl.newConnection(context, serverName, numberOf(peer));
        if (connection == 0) {
            throw new TlsException(TlsFailure.INTERNAL, context == 0 ? "the context is released" : "no connection");
        }
        return new OpenSslSession(connection);
    }

    /** Two addresses may share a number, as an endpoint refuses a session of another. */
    private static long numberOf(@Nullable SocketAddress peer) {
        return peer instanceof InetSocketAddress address && address.getAddress() != null
                ? (long) address.getAddress().hashCode() << Short.SIZE ^ address.getPort()
                : 0;
    }

    @Override
    public synchronized void release() {
        if (context != 0) {
            OpenSsl.releaseContext(context);
            context = 0;
        }
    }
}
