package io.remora.tls;

import io.remora.memory.MemoryCosts;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * TLS by the JDK's own engine: it is everywhere, and slow where HotSpot has no C2, which alone uses the processor's AES
 * instructions.
 *
 * <p>Thread safe. Bounds: key-exchange groups are the process's, because the JDK takes them from a property only.
 */
public final class JdkProvider implements TlsProvider {
    private static final String GROUPS = "jdk.tls.namedGroups";
    private static final String CIPHERS = "ciphers";

    // ChaCha20 before AES: without the processor's instructions it is three to seven times as fast
    private static final List<String> SUITES = List.of(
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_AES_128_GCM_SHA256",
            "TLS_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384");

    /** The engine's classes, and the code that is compiled of them. */
    private static final long BASE_BYTES = 8 << 20;

    /** Certificates, tables of algorithms, the providers' own. */
    private static final long BASE_HEAP_BYTES = 3 << 20;

    /** The cost at rest: nothing outside the heap but a flight that has not left. */
    private static final MemoryCosts.Cost CONNECTION = new MemoryCosts.Cost(1 << 10, 8 << 10);

    /** The cost of a handshake: a flight, keys that are being agreed on, and the client's octets so far. */
    private static final MemoryCosts.Cost HANDSHAKE = new MemoryCosts.Cost(8 << 10, 16 << 10);

    private static final String POST_QUANTUM = "X25519MLKEM768";

    private static @Nullable String groups;

    @Override
    public String name() {
        return "jdk " + Runtime.version();
    }

    @Override
    public MemoryCosts costs() {
        return new MemoryCosts(BASE_BYTES, BASE_HEAP_BYTES, CONNECTION, CONNECTION, HANDSHAKE, null);
    }

    @Override
    public List<String> cipherSuites() {
        return SUITES;
    }

    @Override
    public void judge(Credentials credentials) throws TlsException {
        PublicKey open = JdkTrust.certificates(credentials.chain())[0].getPublicKey();
        PrivateKey key = JdkKeys.key(credentials);
        String hash = credentials.keyAlgorithm().startsWith("Ed") ? "EdDSA" : null;
        try {
            String algorithm = hash != null
                    ? hash
                    : "SHA256with" + (credentials.keyAlgorithm().equals("EC") ? "ECDSA" : "RSA");
            Signature signing = Signature.getInstance(algorithm);
            byte[] text = {'r', 'e', 'm', 'o', 'r', 'a'};
            signing.initSign(key);
            signing.update(text);
            byte[] signature = signing.sign();
            Signature verifying = Signature.getInstance(algorithm);
            verifying.initVerify(open);
            verifying.update(text);
            if (verifying.verify(signature)) {
                return;
            }
        } catch (GeneralSecurityException e) {
            // a certificate of another algorithm, as good a reason as a signature that does not fit
        }
        throw TlsException.unusable("key", "the key does not belong to the certificate");
    }

    @Override
    public TlsContext server(ServerSettings settings) throws TlsException {
        settle(settings.protocols());
        // the JDK looks at names of cipher suites no sooner
        return JdkContext.server(settings).tried(CIPHERS);
    }

    @Override
    public TlsContext client(ClientSettings settings) throws TlsException {
        settle(settings.protocols());
        return JdkContext.client(settings).tried(CIPHERS);
    }

    /** Sets the properties that the JDK reads when its first context is made. */
    private static void settle(TlsParameters protocols) throws TlsException {
        if (protocols.groups().contains(POST_QUANTUM)) {
            // which the JDK would skip without a word
            throw TlsException.unusable("groups", "the JDK does not support " + POST_QUANTUM);
        }
        String wanted = String.join(",", protocols.groups());
        synchronized (JdkProvider.class) {
            if (groups == null) {
                groups = wanted;
                System.setProperty(GROUPS, wanted);
                // a handshake inside a connection costs a server more than the client who asks for it
                System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
                // by which nothing is kept of a session here; what is resumed is looked at again
                System.setProperty("jdk.tls.server.enableSessionTicketExtension", "true");
                System.setProperty("jdk.tls.server.statelessKeyTimeout", Integer.toString(JdkResumption.TICKET_S));
                System.setProperty("jdk.tls.client.enableSessionTicketExtension", "false");
            } else if (!groups.equals(wanted)) {
                String why = "the JDK supports one list of groups per process: " + wanted + " and " + groups;
                throw TlsException.unusable("groups", why);
            }
        }
    }
}
