package io.remora.tls;

import io.remora.config.ClusterConfig;
import io.remora.config.ClusterTls;
import io.remora.config.ConfigException;
import io.remora.config.ListenerConfig;
import io.remora.config.ListenerTls;
import io.remora.config.Problem;
import io.remora.config.ProxyConfig;
import io.remora.config.TlsCertificate;
import io.remora.log.Log;
import io.remora.metrics.Stats;
import io.remora.metrics.TlsStats;
import io.remora.tls.openssl.OpenSslProvider;
import io.remora.transport.Handshake;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;

/**
 * The way from a configuration to handshakes, and to a judgement of the files that it names.
 *
 * <p>Thread safe.
 */
public final class TlsSetup {
    private static final String LISTENER = "listener";
    private static final String CLUSTER = "cluster";

    private final TlsProvider provider;
    private final FileWatch watch = new FileWatch();

    public TlsSetup(TlsProvider provider) {
        this.provider = provider;
    }

    /**
     * By OpenSSL where the image or the host has it, with the binding to it, else by the JDK's engine. Who calls it need not
     * know, and so not load, the type of a provider.
     */
    public static TlsSetup byWhatIsThere() {
        TlsProvider openSsl = OpenSslProvider.load();
        return new TlsSetup(openSsl == null ? new JdkProvider() : openSsl);
    }

    // ---- for a start

    /**
     * For a listener that has {@code tls}.
     *
     * @throws IOException naming the listener and the file that cannot be used
     */
    public Handshake of(ListenerConfig listener, ListenerTls tls, Stats stats) throws IOException {
        TlsMaterial.Source source = new TlsMaterial.OfListener(provider, LISTENER + ' ' + listener.name(), tls);
        TlsStats counts = new TlsStats(LISTENER, listener.name(), TlsFailure.labels());
        return begin(source, true, tls.maxHandshakes(), true, stats, counts);
    }

    /**
     * For a cluster that has {@code tls}.
     *
     * @throws IOException naming the cluster and the file that cannot be used
     */
    public Handshake of(ClusterConfig cluster, ClusterTls tls, Stats stats) throws IOException {
        String name = CLUSTER + ' ' + cluster.name();
        if (!tls.verified()) {
            Log.warn(name + ": insecure-skip-verification is on: whoever answers is taken for the endpoint");
        }
        TlsMaterial.Source source = new TlsMaterial.OfCluster(provider, name, tls);
        TlsStats counts = new TlsStats(CLUSTER, cluster.name(), TlsFailure.labels());
        return begin(source, false, Integer.MAX_VALUE, tls.verified(), stats, counts);
    }

    private Handshake begin(
            TlsMaterial.Source source, boolean server, int maxInFlight, boolean verified, Stats stats, TlsStats fresh)
            throws IOException {
        OpenSslProvider.tell();
        Path[] files = Rotation.files(source);
        // before they are read, so that no change falls in between
        FileStamp[] stamps = FileStamp.of(files);
        TlsMaterial material = source.read();
        for (OwnCertificate certificate : material.own()) {
            certificate.tell(System.currentTimeMillis());
        }
        TlsStats counts = stats.add(fresh);
        counts.tell(material.expiresSeconds(), verified);
        TlsHandshake handshake = new TlsHandshake(source.name(), material.context(), server, maxInFlight, counts);
        Rotation rotation = new Rotation(source, files, stamps, material, handshake, counts);
        handshake.onEnd(new Runnable() {
            @Override
            public void run() {
                watch.remove(rotation);
            }
        });
        watch.add(rotation);
        return handshake;
    }

    /** The files are watched no more. */
    public void close() {
        watch.close();
    }

    // ---- for remora check

    /**
     * Reads, parses and pairs every file that the configuration names.
     *
     * @param file what the reader was told the configuration is called
     * @return a line for each certificate of our own, with its names and how long it is valid
     * @throws ConfigException with everything that is wrong
     */
    public String check(String file, ProxyConfig config) throws ConfigException {
        Materials materials = new Materials(provider, file);
        StringBuilder told = new StringBuilder();
        for (ListenerConfig listener : config.listeners()) {
            ListenerTls tls = listener.tls();
            if (tls != null) {
                check(materials, LISTENER + ' ' + listener.name(), tls, told);
            }
        }
        for (ClusterConfig cluster : config.clusters().values()) {
            ClusterTls tls = cluster.tls();
            if (tls != null) {
                check(materials, file, CLUSTER + ' ' + cluster.name(), tls, told);
            }
        }
        List<Problem> problems = materials.problems();
        if (!problems.isEmpty()) {
            Collections.sort(problems);
            throw new ConfigException(problems);
        }
        return told.toString();
    }

    private static void check(Materials materials, String name, ListenerTls tls, StringBuilder told) {
        ServerSettings settings = materials.server(tls);
        if (settings != null) {
            for (int i = 0; i < settings.credentials().size(); i++) {
                append(
                        told,
                        name,
                        tls.certificates().get(i),
                        settings.credentials().get(i));
            }
        }
    }

    private static void check(Materials materials, String file, String name, ClusterTls tls, StringBuilder told) {
        try {
            ClientSettings settings = materials.client(tls);
            TlsCertificate own = tls.certificate();
            Credentials read = settings == null ? null : settings.credentials();
            if (own != null && read != null) {
                append(told, name, own, read);
            }
        } catch (IOException e) {
            // the system's bundle, which stands at no place of the file
            materials.problems().add(new Problem(file, 1, 1, String.valueOf(e.getMessage())));
        }
    }

    private static void append(StringBuilder told, String name, TlsCertificate certificate, Credentials read) {
        String text = new OwnCertificate(name, certificate, read).text(System.currentTimeMillis());
        told.append(text).append('\n');
    }
}
