package io.remora.tls;

/**
 * Who does the cryptography: the JDK, or a library behind a binding.
 *
 * <p>Thread safe.
 */
public interface TlsProvider {
    /** For logs, with a version, for example {@code jdk 17.0.15}. */
    String name();

    /**
     * For connections that are accepted.
     *
     * @throws TlsException where the provider cannot do what the settings ask for
     */
    TlsContext server(ServerSettings settings) throws TlsException;

    /**
     * For connections that are made.
     *
     * @throws TlsException where the provider cannot do what the settings ask for
     */
    TlsContext client(ClientSettings settings) throws TlsException;
}
