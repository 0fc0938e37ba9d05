package io.remora.tls;

import io.remora.testkit.Await;
import io.remora.testkit.Pki;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.StrictHttp;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/** A client that keeps its TLS connection, takes any certificate, and says whose it was. */
final class TlsPeer implements AutoCloseable {
    private static final String GET = "GET / HTTP/1.1\r\nHost: app\r\n\r\n";

    private final SSLSocket socket;
    private final InputStream in;

    private TlsPeer(SSLSocket socket) throws IOException {
        this.socket = socket;
        this.in = new BufferedInputStream(socket.getInputStream());
    }

    /** What a client shows; none for nobody. */
    static SSLContext context(Pki pki, String... certificate) {
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            if (certificate.length > 0) {
                Credentials own = credentials(pki, certificate[0]);
                store.setKeyEntry("own", JdkKeys.key(own), new char[0], JdkTrust.certificates(own.chain()));
            }
            KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
            keys.init(store, new char[0]);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), new TrustManager[] {new Anybody()}, null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new AssertionError(e);
        }
    }

    static Credentials credentials(Pki pki, String name) throws IOException {
        byte[] key = KeyFile.read(Pem.read(pki.path(name + ".key").toString()), null);
        List<byte[]> chain = CertificateFile.read(pki.path(name + ".crt").toString());
        return new Credentials(chain, key, KeyFile.algorithmOf(key), List.of());
    }

    /** With the handshake done, as far as a client knows. */
    static TlsPeer connect(InetSocketAddress address, SSLContext context) throws IOException {
        return connectFrom(RawClient.LOOPBACK, address, context);
    }

    /** The same from another address of this machine. */
    static TlsPeer connectFrom(String source, InetSocketAddress address, SSLContext context) throws IOException {
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket();
        try {
            if (!source.equals(RawClient.LOOPBACK)) {
                socket.bind(new InetSocketAddress(source, 0));
            }
            socket.setSoTimeout(Await.TIMEOUT_MS);
            socket.setTcpNoDelay(true);
            socket.connect(address, Await.TIMEOUT_MS);
            socket.startHandshake();
            return new TlsPeer(socket);
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    /** The common name of the server's certificate. */
    String server() throws IOException {
        X509Certificate own = (X509Certificate) socket.getSession().getPeerCertificates()[0];
        return own.getSubjectX500Principal().getName().replace("CN=", "");
    }

    RawResponse get() throws IOException {
        socket.getOutputStream().write(GET.getBytes(StandardCharsets.ISO_8859_1));
        return StrictHttp.response(in, "GET");
    }

    /** Asks for a page of the admin listener. */
    RawResponse get(String path, String host) throws IOException {
        String request = "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
        socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
        return StrictHttp.response(in, "GET");
    }

    /** Whether the sidecar serves who shows this; a client of TLS 1.3 learns of a refusal when it reads. */
    static boolean isServed(InetSocketAddress address, SSLContext context) throws IOException {
        try (TlsPeer peer = connect(address, context)) {
            return peer.get().status() == 200;
        } catch (SSLException | SocketException e) {
            return false;
        }
    }

    /** Whose certificate a new connection gets to see. */
    static String serverAt(InetSocketAddress address, SSLContext context) {
        try (TlsPeer peer = connect(address, context)) {
            return peer.server();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }

    /** Takes any certificate, for the tests want to see which it is. */
    private static final class Anybody extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
