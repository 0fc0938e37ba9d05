package io.remora.testkit;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.util.Locale;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

/** A client over TLS that believes whoever answers, and tells what it was shown. */
public final class TrustingClient implements AutoCloseable {
    private final SSLSocket socket;

    private TrustingClient(SSLSocket socket) {
        this.socket = socket;
    }

    private static final class Trusting implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {
            // nobody is asked
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {
            // whoever it is
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }

    public static TrustingClient connect(InetSocketAddress address) throws IOException, GeneralSecurityException {
        return new TrustingClient(socket(address));
    }

    /** A connection whose handshake is done. */
    public static SSLSocket socket(InetSocketAddress address) throws IOException, GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new Trusting()}, null);
        SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(address.getAddress(), address.getPort());
        socket.setSoTimeout(Await.TIMEOUT_MS);
        socket.startHandshake();
        return socket;
    }

    /** The subject's alternative names in the certificate that the server has shown. */
    public String names() throws IOException, GeneralSecurityException {
        X509Certificate shown = (X509Certificate) socket.getSession().getPeerCertificates()[0];
        return String.valueOf(shown.getSubjectAlternativeNames());
    }

    /** What is answered to a request on this connection, as far as its length goes; a body has a few octets. */
    public String get() throws IOException {
        socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: app\r\n\r\n".getBytes(StandardCharsets.ISO_8859_1));
        StringBuilder text = new StringBuilder();
        while (text.indexOf("\r\n\r\n") < 0) {
            text.append((char) read());
        }
        int at = text.toString().toLowerCase(Locale.ROOT).indexOf("content-length: ") + 16;
        int length = Integer.parseInt(text.substring(at, text.indexOf("\r\n", at)));
        for (int i = 0; i < length; i++) {
            text.append((char) read());
        }
        return text.toString();
    }

    private int read() throws IOException {
        int octet = socket.getInputStream().read();
        if (octet < 0) {
            throw new IOException("closed by the peer");
        }
        return octet;
    }

    /** Waits for the end of the connection; nothing else may come. */
    public boolean closedByPeer() throws IOException {
        return socket.getInputStream().read() < 0;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
