package io.remora.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.List;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;

/**
 * The JDK's own client and server of HTTP over TLS, as a process of its own.
 *
 * <pre>
 * client PORT VERSION HOST SNI TRUST [OWN]
 * server PORT VERSION OWN [TRUST]
 * </pre>
 *
 * <p>Trust is a certificate in PEM, the own one a store of type PKCS#12 with the pass phrase {@code secret}; an SNI of {@code -} is left to the JDK.
 */
public final class JdkPeer {
    private static final char[] SECRET = "secret".toCharArray();

    private JdkPeer() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("client")) {
            client(arguments);
        } else {
            server(arguments);
        }
    }

    private static KeyStore store(String path) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = new FileInputStream(path)) {
            store.load(in, SECRET);
        }
        return store;
    }

    private static KeyStore anchors(String path) throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        try (InputStream in = new FileInputStream(path)) {
            store.setCertificateEntry(
                    "ca", CertificateFactory.getInstance("X.509").generateCertificate(in));
        }
        return store;
    }

    private static SSLContext context(String trust, String own) throws IOException, GeneralSecurityException {
        TrustManagerFactory trusted = TrustManagerFactory.getInstance("PKIX");
        KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
        if (!trust.isEmpty()) {
            trusted.init(anchors(trust));
        }
        if (!own.isEmpty()) {
            keys.init(store(own), SECRET);
        }
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(
                own.isEmpty() ? null : keys.getKeyManagers(),
                trust.isEmpty() ? null : trusted.getTrustManagers(),
                null);
        return context;
    }

    private static String at(String[] arguments, int place) {
        return arguments.length > place ? arguments[place] : "";
    }

    /** Two requests, the second with a body. */
    private static void client(String[] arguments) throws Exception {
        SSLParameters parameters = new SSLParameters();
        parameters.setProtocols(new String[] {"TLSv" + arguments[2]});
        if (!arguments[4].equals("-")) {
            parameters.setServerNames(List.of(new SNIHostName(arguments[4])));
        }
        HttpClient client = HttpClient.newBuilder()
                .sslContext(context(arguments[5], at(arguments, 6)))
                .sslParameters(parameters)
                .build();
        URI uri = URI.create("https://" + arguments[3] + ":" + arguments[1] + "/");
        for (String body : List.of("", "content".repeat(20_000))) {
            HttpRequest request = HttpRequest.newBuilder(uri)
                    .method(body.isEmpty() ? "GET" : "POST", BodyPublishers.ofString(body))
                    .build();
            var response = client.send(request, BodyHandlers.ofString());
            System.out.println(response.statusCode() + " " + response.body());
        }
        System.exit(0);
    }

    private static void server(String[] arguments) throws Exception {
        SSLContext context = context(at(arguments, 4), arguments[3]);
        HttpsServer server =
                HttpsServer.create(new InetSocketAddress("127.0.0.1", Integer.parseInt(arguments[1])), 100);
        server.setHttpsConfigurator(new HttpsConfigurator(context) {
            @Override
            public void configure(HttpsParameters to) {
                SSLParameters parameters = context.getDefaultSSLParameters();
                parameters.setProtocols(new String[] {"TLSv" + arguments[2]});
                parameters.setNeedClientAuth(arguments.length > 4);
                to.setSSLParameters(parameters);
            }
        });
        server.createContext("/", JdkPeer::answer);
        server.start();
    }

    private static void answer(HttpExchange exchange) throws IOException {
        long got = exchange.getRequestBody().transferTo(OutputStream.nullOutputStream());
        ExtendedSSLSession session = (ExtendedSSLSession) ((HttpsExchange) exchange).getSSLSession();
        String name = "";
        for (SNIServerName asked : session.getRequestedServerNames()) {
            name = ((SNIHostName) asked).getAsciiName();
        }
        byte[] text = (session.getProtocol() + "|" + name + "|" + got).getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, text.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(text);
        }
    }
}
