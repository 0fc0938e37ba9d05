package io.remora.tls.openssl;

import io.remora.config.model.LogComponent;
import io.remora.log.Log;
import io.remora.memory.MemoryCosts;
import io.remora.tls.ClientSettings;
import io.remora.tls.Credentials;
import io.remora.tls.ServerSettings;
import io.remora.tls.TlsContext;
import io.remora.tls.TlsException;
import io.remora.tls.TlsProvider;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * TLS by the OpenSSL or AWS-LC of the runtime image, or of the host. The library is whichever the binding was built with.
 *
 * <p>Thread safe. Cost: the libraries, which are mapped by {@link #load}.
 */
public final class OpenSslProvider implements TlsProvider {
    private static final List<String> AES_FIRST = List.of(
            "TLS_AES_128_GCM_SHA256",
            "TLS_AES_256_GCM_SHA384",
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");
    private static final List<String> CHACHA_FIRST = List.of(
            "TLS_CHACHA20_POLY1305_SHA256",
            "TLS_AES_128_GCM_SHA256",
            "TLS_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384");

    private static final String AWS_LC = "AWS-LC ";

    /** With a group that keeps recorded traffic secret from a quantum computer, which OpenSSL has from 3.5 on. */
    private static final List<String> POST_QUANTUM_FIRST =
            List.of("X25519MLKEM768", "x25519", "secp256r1", "secp384r1");

    /** Memory of the process: pages of both libraries, their allocations at the start, and a context or two. */
    private static final long BASE_BYTES = 4 << 20;

    private static final long BASE_HEAP_BYTES = 256 << 10;

    private static final MemoryCosts.Cost CONNECTION = new MemoryCosts.Cost(16 << 10, 1 << 10);

    /** Buffers for a record in both directions, keys that are being agreed on, and the flight. */
    private static final MemoryCosts.Cost HANDSHAKE = new MemoryCosts.Cost(40 << 10, 1 << 10);

    /** AWS-LC keeps no buffer of an idle connection: 7.1 KB on 32-bit x86, 9.0 on amd64. */
    private static final MemoryCosts.Cost AWS_LC_CONNECTION = new MemoryCosts.Cost(12 << 10, 1 << 10);

    /** At most 13.7 KB together with the connection's, and a client's chain. */
    private static final MemoryCosts.Cost AWS_LC_HANDSHAKE = new MemoryCosts.Cost(12 << 10, 1 << 10);

    private static @Nullable OpenSslProvider loaded;
    private static boolean tried;
    /** Line that {@link #tell} has not logged yet. */
    private static String untold = "";

    private final String name;
    private final List<String> suites;
    private final List<String> groups;
    private final MemoryCosts.Cost connection;
    private final MemoryCosts.Cost handshake;

    private OpenSslProvider(String version, List<String> suites) {
        boolean isAwsLc = version.startsWith(AWS_LC);
        this.name = version.toLowerCase(Locale.ROOT);
        this.suites = suites;
        this.groups = isAwsLc ? POST_QUANTUM_FIRST : TlsProvider.super.groups();
        this.connection = isAwsLc ? AWS_LC_CONNECTION : CONNECTION;
        this.handshake = isAwsLc ? AWS_LC_HANDSHAKE : HANDSHAKE;
    }

    /** Returns the provider of this process; null where the libraries are missing or do not start. */
    public static synchronized @Nullable TlsProvider load() {
        if (!tried) {
            tried = true;
            String problem = begin();
            if (problem == null) {
                String version = OpenSsl.version();
                loaded = new OpenSslProvider(version, OpenSsl.hasAes() ? AES_FIRST : CHACHA_FIRST);
                untold = "TLS by " + version;
            } else {
                untold = "TLS by the JDK; OpenSSL is not available: " + problem;
            }
        }
        return loaded;
    }

    /** Logs the provider once, at a start; a check of a configuration logs only its problems. */
    public static synchronized void tell() {
        if (!untold.isEmpty()) {
            Log.info(LogComponent.TLS, untold);
            untold = "";
        }
    }

    private static @Nullable String begin() {
        try {
            System.loadLibrary("remora_tls");
        } catch (UnsatisfiedLinkError e) {
            return String.valueOf(e.getMessage());
        }
        return OpenSsl.begin();
    }

    /** Octets of memory that the library holds, for all contexts and connections; -1 where they are not counted. */
    public static long allocatedOctets() {
        return OpenSsl.allocated();
    }

    @Override
    public MemoryCosts costs() {
        return new MemoryCosts(BASE_BYTES, BASE_HEAP_BYTES, connection, connection, handshake, new Allocated());
    }

    /** Bytes that the library's allocator counts. */
    private static final class Allocated implements MemoryCosts.Counted {
        @Override
        public long bytes() {
            return OpenSsl.allocated();
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public List<String> cipherSuites() {
        return suites;
    }

    @Override
    public List<String> groups() {
        return groups;
    }

    @Override
    public void judge(Credentials credentials) throws TlsException {
        try (ContextBuilder builder = new ContextBuilder(true)) {
            builder.show(credentials);
        }
    }

    @Override
    public TlsContext server(ServerSettings settings) throws TlsException {
        return OpenSslContext.server(settings).tried("");
    }

    @Override
    public TlsContext client(ClientSettings settings) throws TlsException {
        // where SNI could not be sent
        return OpenSslContext.client(settings).tried("server-name");
    }
}
