package io.remora.tls;

import io.remora.metrics.TlsStats;
import io.remora.tls.openssl.OpenSslProvider;
import io.remora.transport.Handshake;
import java.io.IOException;
import java.util.List;

/**
 * TLS of servers and clients that no configuration of a proxy describes, with certificates from memory: OpenSSL or
 * AWS-LC where the image has it, else the JDK's engine.
 *
 * <p>Thread safe. Cost: one thread for handshakes.
 */
public final class ProcessTls implements AutoCloseable {
    private static final List<String> VERSIONS = List.of("TLSv1.3", "TLSv1.2");
    private static final List<String> HTTP1 = List.of("http/1.1");

    private final TlsProvider provider;
    private final HandshakeThread computing = new HandshakeThread();

    public ProcessTls() {
        TlsProvider openSsl = OpenSslProvider.load();
        provider = openSsl == null ? new JdkProvider() : openSsl;
        OpenSslProvider.tell();
    }

    /**
     * Returns the context of a server, whose clients need no certificate.
     *
     * @param chain certificates in DER, the own one first
     * @param key PKCS#8 in DER
     * @throws IOException where the key does not belong to the certificate, or one of them cannot be used
     */
    public TlsContext serverContext(List<byte[]> chain, byte[] key) throws IOException {
        List<String> names = CertificateInfo.of(chain.get(0)).names().dns();
        Credentials credentials = new Credentials(chain, key, KeyFile.algorithmOf(key), names);
        provider.judge(credentials);
        return provider.server(new ServerSettings(List.of(credentials), parameters(), null));
    }

    /**
     * Returns the handshake of a server; {@link TlsHandshake#replace} renews what it shows.
     *
     * @param name for logs
     * @param maxInFlight handshakes at once
     */
    public TlsHandshake server(String name, TlsContext context, int maxInFlight, TlsStats stats) {
        return new TlsHandshake(name, context, true, maxInFlight, computing, stats);
    }

    /**
     * Returns the handshake of a client.
     *
     * @param trust certificates in DER of the server's authorities
     * @param host DNS name that the server's certificate must have
     */
    public Handshake client(String name, List<byte[]> trust, String host, TlsStats stats) throws IOException {
        PeerNames peer = new PeerNames(List.of(host), List.of());
        TlsContext context = provider.client(new ClientSettings(trust, host, peer, null, parameters()));
        return new TlsHandshake(name, context, false, Integer.MAX_VALUE, computing, stats);
    }

    /** Returns counts for a handshake. */
    public static TlsStats stats(String side, String name) {
        return new TlsStats(side, name, TlsFailure.labels());
    }

    private TlsParameters parameters() {
        return new TlsParameters(VERSIONS, provider.cipherSuites(), provider.groups(), HTTP1);
    }

    @Override
    public void close() {
        computing.close();
    }
}
