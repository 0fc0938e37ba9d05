package io.remora.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A directory with certificates for tests of TLS, and the sidecars, clients and servers that use them. As a static field of a test class it lives for the whole class.
 *
 * <p>Of the authority {@code ca}, which is trusted, are
 *
 * <pre>
 * server    DNS:localhost
 * app       DNS:app.test
 * common    app.test in its common name only
 * client    URI:spiffe://mesh/ns/a/sa/client
 * </pre>
 *
 * and of the authority {@code other}, which is not, {@code foreign} for DNS:app.test.
 */
public final class Certificates implements BeforeAllCallback, AfterAllCallback {
    private final Path directory;
    private final Pki pki;

    public Certificates() {
        try {
            directory = Files.createTempDirectory("remora-tls");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        pki = new Pki(directory);
    }

    @Override
    public void beforeAll(ExtensionContext context) {
        pki.authority("ca")
                .authority("other")
                .issue("ca", "server", "DNS:localhost")
                .issue("ca", "app", "DNS:app.test")
                .issueWithCommonName("ca", "common", "app.test")
                .issue("ca", "client", "URI:spiffe://mesh/ns/a/sa/client")
                .issue("other", "foreign", "DNS:app.test");
    }

    @Override
    public void afterAll(ExtensionContext context) throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    /** Where further certificates are made. */
    public Pki pki() {
        return pki;
    }

    public Path directory() {
        return directory;
    }

    // ---- sidecars

    /** One whose listener has these certificates, and more in its {@code tls}. */
    public Sidecar listening(RecordingBackend backend, String more, String... certificates) {
        return Sidecar.start(Setup.before(backend).listener(pki.listener(more, certificates)));
    }

    /** One whose cluster has this {@code tls} and is at the port. */
    public Sidecar before(int port, String tls) {
        return Sidecar.start(Setup.at(port).cluster("tls: { " + tls + " }\ntimeouts: { connect: 5s }"));
    }

    // ---- clients

    /** What curl says; it trusts {@code ca}. */
    public Command curl(Sidecar sidecar, String host, String path, String... options) {
        int port = sidecar.address().getPort();
        List<String> command = new ArrayList<>(List.of("curl", "--silent", "--show-error", "--http1.1"));
        command.addAll(List.of("--cacert", "ca.crt", "--resolve", host + ":" + port + ":127.0.0.1"));
        command.addAll(List.of(options));
        command.add("https://" + host + ":" + port + path);
        return Command.run(directory, command.toArray(new String[0]));
    }

    /** What curl takes to show a certificate, and more options. */
    public static String[] showing(String certificate, String... options) {
        List<String> all = new ArrayList<>(List.of("--cert", certificate + ".crt", "--key", certificate + ".key"));
        all.addAll(List.of(options));
        return all.toArray(new String[0]);
    }

    /** What openssl's client says, fed with an input and its end; it trusts {@code ca}. */
    public Command opensslClient(Sidecar sidecar, String input, String... options) {
        return Command.fed(directory, input, opensslClient(sidecar, options));
    }

    /** The same with an input that goes on for as long as the client does. */
    public Command heldOpensslClient(Sidecar sidecar, String input, String... options) {
        return Command.held(directory, input, opensslClient(sidecar, options));
    }

    private static String[] opensslClient(Sidecar sidecar, String... options) {
        List<String> command = new ArrayList<>(List.of("openssl", "s_client", "-connect"));
        command.add("127.0.0.1:" + sidecar.address().getPort());
        command.addAll(List.of("-CAfile", "ca.crt"));
        command.addAll(List.of(options));
        return command.toArray(new String[0]);
    }

    // ---- servers

    /** openssl's, with this certificate; it serves the files of the directory. */
    public OpensslServer opensslServer(String certificate, String... options) {
        return new OpensslServer(directory, certificate, options);
    }

    /** The same, which takes only clients with a certificate of {@code ca}. */
    public OpensslServer opensslServerForCertificates(String certificate) {
        return opensslServer(certificate, "-Verify", "1", "-verify_return_error", "-CAfile", "ca.crt");
    }
}
