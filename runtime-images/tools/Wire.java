import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.TrustManagerFactory;

/** What the training's connections are made of: plain TCP, or TLS on which both ends show a certificate. */
record Wire(SocketFactory clients, ServerSocketFactory servers) {
    private static final int BACKLOG = 64;

    static Wire plain() {
        return new Wire(SocketFactory.getDefault(), ServerSocketFactory.getDefault());
    }

    /** By {@code tls.p12}, whose password is "training", of the authority {@code ca.crt}, both in a directory. */
    static Wire tls(Path directory) throws IOException, GeneralSecurityException {
        char[] password = "training".toCharArray();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(new ByteArrayInputStream(Files.readAllBytes(directory.resolve("tls.p12"))), password);
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, password);
        KeyStore authorities = KeyStore.getInstance("PKCS12");
        authorities.load(null, null);
        authorities.setCertificateEntry(
                "ca",
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(Files.readAllBytes(directory.resolve("ca.crt")))));
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(authorities);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
        return new Wire(context.getSocketFactory(), context.getServerSocketFactory());
    }

    HttpPeer connect(int port) throws IOException {
        return new HttpPeer(clients.createSocket(InetAddress.getLoopbackAddress(), port));
    }

    ServerSocket listen() throws IOException {
        ServerSocket server = servers.createServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        if (server instanceof SSLServerSocket tls) {
            tls.setNeedClientAuth(true);
        }
        return server;
    }
}
