package io.remora.tls;

import io.remora.text.HostText;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSession;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Chooses what a connection shows: by the client's SNI for a server, the only one for a client. Aliases are positions.
 *
 * <p>Thread safe.
 */
final class JdkKeys extends X509ExtendedKeyManager {
    private final List<Credentials> credentials;
    private final X509Certificate[][] chains;
    private final PrivateKey[] keys;

    JdkKeys(List<Credentials> credentials) throws TlsException {
        this.credentials = credentials;
        this.chains = new X509Certificate[credentials.size()][];
        this.keys = new PrivateKey[credentials.size()];
        for (int i = 0; i < keys.length; i++) {
            chains[i] = JdkTrust.certificates(credentials.get(i).chain());
            keys[i] = key(credentials.get(i));
        }
    }

    @Override
    public @Nullable String chooseEngineServerAlias(String keyType, Principal @Nullable [] issuers, SSLEngine engine) {
        JdkResumption.choosing(engine);
        int chosen = choose(serverName(engine), keyType);
        return chosen < 0 ? null : Integer.toString(chosen);
    }

    private static @Nullable String serverName(SSLEngine engine) {
        SSLSession session = engine.getHandshakeSession();
        if (session instanceof ExtendedSSLSession extended) {
            for (SNIServerName name : extended.getRequestedServerNames()) {
                if (name instanceof SNIHostName host) {
                    return HostText.canonical(host.getAsciiName());
                }
            }
        }
        return null;
    }

    /** The first of those that answer the name best, if its key is of the type that the JDK asks for now. */
    private int choose(@Nullable String name, String keyType) {
        int best = Integer.MAX_VALUE;
        int chosen = -1;
        for (int i = 0; i < keys.length; i++) {
            int rank = name == null ? 2 : rank(credentials.get(i).dnsNames(), name);
            if (rank < best) {
                best = rank;
                chosen = -1;
            }
            // where no name fits, the default is the first one alone
            if (rank == best && chosen < 0 && (rank < 2 || i == 0) && fits(i, keyType)) {
                chosen = i;
            }
        }
        return chosen;
    }

    /** Returns 0 for a name that is the same, 1 for a wildcard that stands for it, 2 for none. */
    private static int rank(List<String> dnsNames, String name) {
        int rank = 2;
        for (String own : dnsNames) {
            if (SubjectNames.matches(own, name)) {
                rank = Math.min(rank, own.startsWith("*") ? 1 : 0);
            }
        }
        return rank;
    }

    private boolean fits(int i, String keyType) {
        String own = keys[i].getAlgorithm();
        return keyType.equals(own)
                || own.equals("RSA") && keyType.equals("RSASSA-PSS")
                || own.startsWith("Ed") && keyType.equals("EdDSA");
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
        for (String keyType : keyTypes) {
            if (keys.length > 0 && fits(0, keyType)) {
                return "0";
            }
        }
        return null;
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
        return chains[Integer.parseInt(alias)];
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
        return keys[Integer.parseInt(alias)];
    }

    /** Chooses for a socket as for an engine. */
    @Override
    public @Nullable String chooseClientAlias(
            String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return chooseEngineClientAlias(keyTypes, issuers, null);
    }

    // ---- not asked for

    @Override
    public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
        return null;
    }

    @Override
    public @Nullable String chooseServerAlias(String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
        return null;
    }

    // ---- DER to the JDK's types

    static PrivateKey key(Credentials credentials) throws TlsException {
        try {
            PKCS8EncodedKeySpec spec = new PKCS8EncodedKeySpec(credentials.key());
            return KeyFactory.getInstance(credentials.keyAlgorithm()).generatePrivate(spec);
        } catch (GeneralSecurityException e) {
            throw TlsException.unusable("key", "the key cannot be used: " + e.getMessage());
        }
    }
}
