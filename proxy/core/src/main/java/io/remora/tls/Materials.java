package io.remora.tls;

import io.remora.config.model.Problem;
import io.remora.tls.config.ClusterTls;
import io.remora.tls.config.ListenerTls;
import io.remora.tls.config.TlsCertificate;
import io.remora.tls.config.TlsFile;
import io.remora.tls.config.TlsPlaces;
import io.remora.tls.config.TlsProtocols;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the files that a configuration names and makes settings of them. It goes on after a problem, so that all
 * problems are reported.
 *
 * <p>Owner: the thread that reads.
 */
final class Materials {

    private final TlsProvider provider;
    private final String configuration;
    private final List<Problem> problems = new ArrayList<>();
    private PemFiles files = new PemFiles();

    /**
     * @param configuration name of the configuration, for messages
     */
    Materials(TlsProvider provider, String configuration) {
        this.provider = provider;
        this.configuration = configuration;
    }

    /** Returns the problems so far. */
    List<Problem> problems() {
        return problems;
    }

    /** The files that {@link #server} or {@link #client} has read last; nothing of them is kept here. */
    PemFiles takeFiles() {
        PemFiles read = files;
        files = new PemFiles();
        return read;
    }

    /** Every file that {@link #server} reads. */
    static List<String> paths(ListenerTls tls) {
        List<String> paths = new ArrayList<>();
        for (TlsCertificate certificate : tls.certificates()) {
            add(paths, certificate);
        }
        add(paths, tls.trust());
        add(paths, tls.crl());
        return paths;
    }

    /** Every file that {@link #client} reads. */
    static List<String> paths(ClusterTls tls) {
        List<String> paths = new ArrayList<>();
        TlsCertificate own = tls.certificate();
        if (own != null) {
            add(paths, own);
        }
        add(paths, tls.trust());
        add(paths, tls.crl());
        String system = tls.verified() && tls.trust() == null ? CertificateFile.systemPath() : null;
        if (system != null) {
            paths.add(system);
        }
        return paths;
    }

    private static void add(List<String> paths, TlsCertificate certificate) {
        add(paths, certificate.chain());
        add(paths, certificate.key());
        add(paths, certificate.passPhrase());
    }

    private static void add(List<String> paths, @Nullable TlsFile file) {
        if (file != null) {
            paths.add(file.path());
        }
    }

    /** Null where there is a problem. */
    @Nullable
    ServerSettings server(ListenerTls tls) {
        int before = problems.size();
        files = new PemFiles();
        List<Credentials> credentials = new ArrayList<>();
        for (TlsCertificate certificate : tls.certificates()) {
            Credentials read = credentials(certificate);
            if (read != null) {
                credentials.add(read);
            }
        }
        TlsFile trustFile = tls.trust();
        List<byte[]> trust = trustFile == null ? null : certificates(trustFile);
        TlsFile crl = tls.crl();
        List<byte[]> revoked = crl == null ? List.of() : revoked(crl);
        boolean required = tls.clientCertificates() == ListenerTls.ClientCertificates.REQUIRED;
        return problems.size() > before
                ? null
                : new ServerSettings(
                        List.copyOf(credentials),
                        parameters(tls.protocols()),
                        trust == null ? null : new ClientAuth(required, trust, revoked));
    }

    /** Null where there is a problem. */
    @Nullable
    ClientSettings client(ClusterTls tls) {
        int before = problems.size();
        files = new PemFiles();
        List<byte[]> trust = tls.verified() ? trust(tls) : null;
        TlsFile crl = tls.crl();
        List<byte[]> revoked = crl == null ? List.of() : revoked(crl);
        TlsCertificate own = tls.certificate();
        Credentials credentials = own == null ? null : credentials(own);
        return problems.size() > before
                ? null
                : new ClientSettings(
                        trust,
                        tls.serverName(),
                        tls.verified() ? new PeerNames(tls.dnsNames(), tls.uris()) : null,
                        credentials,
                        parameters(tls.protocols()),
                        revoked);
    }

    private TlsParameters parameters(TlsProtocols asked) {
        return new TlsParameters(
                asked.minVersion().equals("1.3") ? List.of("TLSv1.3") : List.of("TLSv1.3", "TLSv1.2"),
                asked.ciphers().isEmpty() ? provider.cipherSuites() : asked.ciphers(),
                asked.groups().isEmpty() ? provider.groups() : asked.groups(),
                asked.alpn());
    }

    // ---- one file after the other

    private @Nullable Credentials credentials(TlsCertificate certificate) {
        List<byte[]> chain = chain(certificate.chain());
        byte[] key = key(certificate);
        if (chain == null || key == null) {
            return null;
        }
        try {
            List<String> names = SubjectNames.of(chain.get(0)).dns();
            Credentials read = new Credentials(chain, key, KeyFile.algorithmOf(key), names);
            provider.judge(read);
            return read;
        } catch (TlsException e) {
            problem(e.key().equals("chain") ? certificate.chain() : certificate.key(), e);
        } catch (IOException e) {
            problem(certificate.key(), e);
        }
        return null;
    }

    private @Nullable List<byte[]> chain(TlsFile file) {
        try {
            return CertificateFile.readChain(files.blocks(file.path()));
        } catch (IOException e) {
            problem(file, e);
            return null;
        }
    }

    private byte @Nullable [] key(TlsCertificate certificate) {
        TlsFile file = certificate.key();
        TlsFile phraseFile = certificate.passPhrase();
        String phrase = null;
        try {
            if (phraseFile != null) {
                file = phraseFile;
                phrase = KeyFile.passPhrase(phraseFile.path());
                file = certificate.key();
            }
            return KeyFile.read(files.blocks(file.path()), phrase);
        } catch (IOException e) {
            problem(file, e);
            return null;
        }
    }

    private @Nullable List<byte[]> trust(ClusterTls tls) {
        TlsFile file = tls.trust();
        if (file != null) {
            return certificates(file);
        }
        try {
            List<byte[]> system = CertificateFile.readSystem();
            files.trusts("system", system.size());
            return system;
        } catch (IOException e) {
            problem(tls.places(), "trust", String.valueOf(e.getMessage()));
            return null;
        }
    }

    private @Nullable List<byte[]> certificates(TlsFile file) {
        try {
            List<byte[]> read = CertificateFile.read(files.blocks(file.path()));
            files.trusts(file.path(), read.size());
            return read;
        } catch (IOException e) {
            problem(file, e);
            return null;
        }
    }

    private List<byte[]> revoked(TlsFile file) {
        try {
            return RevocationFile.read(files.blocks(file.path()));
        } catch (IOException e) {
            problem(file, e);
            return List.of();
        }
    }

    void problem(TlsPlaces places, String key, String message) {
        problems.add(places.problem(configuration, key, message));
    }

    private void problem(TlsFile file, IOException cause) {
        problems.add(file.problem(configuration, reason(file, cause)));
    }

    private static String reason(TlsFile file, IOException cause) {
        if (cause instanceof TlsException unusable) {
            return unusable.problem();
        }
        String message = String.valueOf(cause.getMessage());
        if (!(cause instanceof FileNotFoundException)) {
            return message;
        }
        // which begins with the path and has the system's word in parentheses
        boolean repeats = message.startsWith(file.path() + " (") && message.endsWith(")");
        return "cannot be read: "
                + (repeats ? message.substring(file.path().length() + 2, message.length() - 1) : message);
    }
}
