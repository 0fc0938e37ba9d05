package io.remora.tls;

import io.remora.memory.MemoryCosts;
import java.util.List;

/**
 * The implementation of TLS: the JDK, or a library behind a binding.
 *
 * <p>Thread safe.
 */
public interface TlsProvider {
    /** Name and version for logs, for example {@code jdk 17.0.15}. */
    String name();

    /** The memory that it takes to protect every connection. */
    MemoryCosts costs();

    /** The safe suites that it has, of TLS 1.3 and 1.2, fastest first. */
    List<String> cipherSuites();

    /** The groups for the key exchange that it offers and takes by default, by IANA's names, in order of preference. */
    default List<String> groups() {
        return List.of("x25519", "secp256r1", "secp384r1");
    }

    /**
     * Judges key material before it is used.
     *
     * @throws TlsException where the key does not belong to the certificate, or one of them cannot be used
     */
    void judge(Credentials credentials) throws TlsException;

    /**
     * Returns a context for connections that are accepted.
     *
     * @throws TlsException where the provider cannot do what the settings ask for
     */
    TlsContext server(ServerSettings settings) throws TlsException;

    /**
     * Returns a context for connections that are made.
     *
     * @throws TlsException where the provider cannot do what the settings ask for
     */
    TlsContext client(ClientSettings settings) throws TlsException;
}
