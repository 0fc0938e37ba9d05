package io.remora.tls;

import java.nio.charset.StandardCharsets;
import java.security.KeyManagementException;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.StandardConstants;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * A context of the JDK, with the settings of each of its engines. A listener's clients resume sessions by tickets,
 * within one context and by the rules of {@link JdkResumption}; towards endpoints no session is resumed.
 *
 * <p>Thread safe.
 */
final class JdkContext extends TlsContext {
    /** Lifetime longer than a ticket may live (RFC 8446 4.6.1), at which the JDK sends none. */
    private static final int NO_TICKETS_S = 8 * 86_400;

    private final SSLContext context;
    private final TlsParameters protocols;
    private final boolean server;
    private final @Nullable ClientAuth clientAuth;
    private final List<SNIServerName> serverNames;
    private final JdkTrust trust;

    private JdkContext(
            SSLContext context,
            JdkTrust trust,
            TlsParameters protocols,
            boolean server,
            @Nullable ClientAuth clientAuth,
            List<SNIServerName> serverNames) {
        this.context = context;
        this.trust = trust;
        this.protocols = protocols;
        this.server = server;
        this.clientAuth = clientAuth;
        this.serverNames = serverNames;
    }

    static JdkContext server(ServerSettings settings) throws TlsException {
        ClientAuth auth = settings.clientAuth();
        // without one the JDK would make one of its own from the bundle that came with it
        JdkTrust trust = auth == null
                ? new JdkTrust(List.of(), List.of(), null)
                : new JdkTrust(auth.trust(), auth.revoked(), null);
        SSLContext context = context(new JdkKeys(settings.credentials()), trust);
        context.getServerSessionContext().setSessionTimeout(JdkResumption.TICKET_S);
        return new JdkContext(context, trust, settings.protocols(), true, auth, List.of());
    }

    static JdkContext client(ClientSettings settings) throws TlsException {
        List<byte[]> anchors = settings.trust();
        PeerNames peer = settings.peer();
        JdkTrust trust =
                peer == null || anchors == null ? new JdkTrust() : new JdkTrust(anchors, settings.revoked(), peer);
        Credentials own = settings.credentials();
        JdkKeys keys = new JdkKeys(own == null ? List.of() : List.of(own));
        String name = settings.serverName();
        List<SNIServerName> names = name == null ? List.of() : List.of(new AskedName(name));
        return new JdkContext(context(keys, trust), trust, settings.protocols(), false, null, names);
    }

    private static SSLContext context(JdkKeys keys, TrustManager trust) throws TlsException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {keys}, new TrustManager[] {trust}, null);
            keepNothing(context.getServerSessionContext());
            keepNothing(context.getClientSessionContext());
            return context;
        } catch (NoSuchAlgorithmException | KeyManagementException e) {
            throw new TlsException(TlsFailure.INTERNAL, String.valueOf(e.getMessage()));
        }
    }

    private static void keepNothing(SSLSessionContext sessions) {
        sessions.setSessionCacheSize(1);
        sessions.setSessionTimeout(NO_TICKETS_S);
    }

    @Override
    public TlsSession newSession() throws TlsException {
        // without the peer's address: by it the JDK would look for a session to resume
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(!server);
        SSLParameters parameters = new SSLParameters();
        parameters.setProtocols(protocols.versions().toArray(new String[0]));
        parameters.setCipherSuites(protocols.cipherSuites().toArray(new String[0]));
        parameters.setApplicationProtocols(protocols.alpn().toArray(new String[0]));
        parameters.setUseCipherSuitesOrder(true);
        JdkResumption resumption = server ? new JdkResumption(trust) : null;
        if (resumption != null) {
            parameters.setSNIMatchers(List.of(resumption));
        }
        if (!serverNames.isEmpty()) {
            parameters.setServerNames(serverNames);
        }
        if (clientAuth != null) {
            // each of the two undoes the other
            if (clientAuth.required()) {
                parameters.setNeedClientAuth(true);
            } else {
                parameters.setWantClientAuth(true);
            }
        }
        try {
            engine.setSSLParameters(parameters);
        } catch (IllegalArgumentException e) {
            throw new TlsException(TlsFailure.INTERNAL, String.valueOf(e.getMessage()));
        }
        return new JdkSession(engine, resumption);
    }

    /** Does nothing, as the context has only heap. */
    @Override
    public void release() {}

    /**
     * A host name as it stands in the hello (RFC 6066 3). {@code SNIHostName} would refuse an underscore, and a hyphen
     * at either end of a label. No host table may have these (RFC 952), but DNS does (RFC 2181 11).
     */
    private static final class AskedName extends SNIServerName {
        AskedName(String name) {
            super(StandardConstants.SNI_HOST_NAME, name.getBytes(StandardCharsets.US_ASCII));
        }
    }
}
