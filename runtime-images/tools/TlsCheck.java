import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

/**
 * Holds a TLS connection with itself over the loopback, by the JDK's own provider, for each version that is in use:
 * {@code TlsCheck KEYSTORE PASSWORD}, where the key is one of an elliptic curve. Ends with 1 where one cannot be made.
 */
final class TlsCheck {
    private final SSLContext context;

    private TlsCheck(SSLContext context) {
        this.context = context;
    }

    public static void main(String[] arguments) throws Exception {
        char[] password = arguments[1].toCharArray();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(new ByteArrayInputStream(Files.readAllBytes(Path.of(arguments[0]))), password);
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        own.init(keys, password);
        TrustManagerFactory trusted = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trusted.init(keys);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own.getKeyManagers(), trusted.getTrustManagers(), null);
        for (String version : List.of("TLSv1.3", "TLSv1.2")) {
            System.out.println(new TlsCheck(context).shakeHands(version));
        }
    }

    private String shakeHands(String version) throws IOException, InterruptedException {
        try (SSLServerSocket server = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setNeedClientAuth(true);
            Thread echo = new Thread(() -> echo(server));
            echo.start();
            try (SSLSocket client = (SSLSocket)
                    context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), server.getLocalPort())) {
                client.setEnabledProtocols(new String[] {version});
                client.getOutputStream().write(42);
                if (client.getInputStream().read() != 42 || !client.getSession().getProtocol().equals(version)) {
                    throw new IOException(version + ": not what was sent, or another version");
                }
                return version + " " + client.getSession().getCipherSuite();
            } finally {
                echo.join();
            }
        }
    }

    private static void echo(SSLServerSocket server) {
        try (SSLSocket peer = (SSLSocket) server.accept()) {
            peer.getOutputStream().write(peer.getInputStream().read());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
