package io.remora.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A browser without a window, which opens one page and stays there. It goes nowhere but to this machine. */
public final class Chromium implements AutoCloseable {
    private static final List<String> NAMES = List.of("chromium-headless-shell", "chromium");

    private final Path directory;
    private final @Nullable Path certificate;
    private @Nullable ServerProcess process;

    /**
     * @param certificate of the only server that it trusts; null for none
     */
    public Chromium(Path directory, @Nullable Path certificate) {
        this.directory = directory;
        this.certificate = certificate;
    }

    public void open(String url) {
        List<String> command = new ArrayList<>(List.of(
                program(),
                "--headless",
                // root may start it, and a page of the test's own needs no cage
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--no-proxy-server",
                "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE localhost , EXCLUDE 127.0.0.1",
                "--user-data-dir=" + directory.resolve("chromium"),
                // without it a browser without a window ends once the page is there
                "--remote-debugging-port=0"));
        if (certificate != null) {
            command.add("--ignore-certificate-errors-spki-list=" + keyHash(certificate));
        }
        command.add(url);
        try {
            // of an earlier one
            Files.deleteIfExists(portFile());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        process = new ServerProcess(directory, "chromium.txt", command);
    }

    /** Returns the debugger of the page that is open. */
    public int debugPort() {
        Path file = portFile();
        Await.until("the debugger's port", () -> lines(file).size() > 1);
        return Integer.parseInt(lines(file).get(0));
    }

    private Path portFile() {
        return directory.resolve("chromium").resolve("DevToolsActivePort");
    }

    private static List<String> lines(Path file) {
        try {
            return Files.exists(file) ? Files.readAllLines(file) : List.of();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where it is; empty for nowhere. */
    public static String program() {
        return NAMES.stream()
                .map(PeerProgram::find)
                .filter(found -> !found.isEmpty())
                .findFirst()
                .orElse("");
    }

    private static String keyHash(Path certificate) {
        try (InputStream in = Files.newInputStream(certificate)) {
            byte[] key = CertificateFactory.getInstance("X.509")
                    .generateCertificate(in)
                    .getPublicKey()
                    .getEncoded();
            return Base64.getEncoder()
                    .encodeToString(MessageDigest.getInstance("SHA-256").digest(key));
        } catch (IOException | GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        if (process != null) {
            process.close();
        }
    }
}
