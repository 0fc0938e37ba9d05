package io.remora.tls;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.security.KeyManagementException;
import java.security.NoSuchAlgorithmException;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Blocking TLS sockets of commands that ask a running sidecar, by the JDK's engine. The server's certificate must chain to the
 * trust, and have the name or the address that was asked for.
 *
 * <p>Thread safe. Cost: the JDK's TLS, which a sidecar never loads by this.
 */
public final class ClientSockets {
    private final SSLContext context;

    private ClientSockets(SSLContext context) {
        this.context = context;
    }

    /**
     * Reads the files.
     *
     * @param trust PEM file of certificates
     * @param chain PEM file of the own certificate and its issuers; null for none
     * @param key PEM file of its key, not encrypted; null without a chain
     * @throws IOException naming the file that cannot be used
     */
    public static ClientSockets of(String trust, @Nullable String chain, @Nullable String key) throws IOException {
        X509Certificate[] anchors = JdkTrust.certificates(read(trust, CertificateFile::read));
        KeyManager[] own = chain == null || key == null ? new KeyManager[0] : new KeyManager[] {own(chain, key)};
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(own, new TrustManager[] {JdkTrust.validator(anchors, null)}, null);
            return new ClientSockets(context);
        } catch (NoSuchAlgorithmException | KeyManagementException e) {
            throw new IOException("the JDK has no TLS: " + e.getMessage(), e);
        }
    }

    private static KeyManager own(String chainPath, String keyPath) throws IOException {
        List<byte[]> chain = read(chainPath, CertificateFile::readChain);
        byte[] key = read(keyPath, blocks -> KeyFile.read(blocks, null));
        Credentials credentials = new Credentials(chain, key, KeyFile.algorithmOf(key), List.of());
        return new JdkKeys(List.of(credentials));
    }

    private static <T> T read(String path, Reader<T> reader) throws IOException {
        try {
            return reader.read(Pem.read(path));
        } catch (MaterialException e) {
            throw new IOException(path + ": " + e.getMessage(), e);
        }
    }

    /**
     * Returns a connection whose handshake is done.
     *
     * @param name that the server's certificate must have, a host or an IP address
     * @param timeoutMs for the connection, and for each read from it
     */
    public Socket connect(InetSocketAddress address, String name, int timeoutMs) throws IOException {
        Socket plain = new Socket();
        boolean done = false;
        try {
            plain.connect(address, timeoutMs);
            plain.setSoTimeout(timeoutMs);
            SSLSocket socket =
                    (SSLSocket) context.getSocketFactory().createSocket(plain, name, address.getPort(), true);
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            done = true;
            return socket;
        } finally {
            if (!done) {
                plain.close();
            }
        }
    }

    /** Reads what a file of PEM blocks has. */
    private interface Reader<T> {
        T read(List<Pem> blocks) throws IOException;
    }
}
