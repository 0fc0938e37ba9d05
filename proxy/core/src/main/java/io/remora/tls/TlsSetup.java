package io.remora.tls;

import io.remora.config.ClusterConfig;
import io.remora.config.ClusterTls;
import io.remora.config.ConfigException;
import io.remora.config.ListenerConfig;
import io.remora.config.ListenerTls;
import io.remora.config.Problem;
import io.remora.config.ProxyConfig;
import io.remora.config.TlsCertificate;
import io.remora.config.TlsFile;
import io.remora.log.Log;
import io.remora.metrics.Stats;
import io.remora.metrics.TlsStats;
import io.remora.tls.openssl.OpenSslProvider;
import io.remora.transport.Handshake;
import java.io.IOException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The way from a configuration to handshakes, and to a judgement of the files that it names.
 *
 * <p>Thread safe.
 */
public final class TlsSetup {
    /** With less than that left, a certificate is worth a warning: time enough for a person to see to it. */
    private static final int WARNING_DAYS = 14;

    private static final long MS_PER_S = 1_000;

    private static final String LISTENER = "listener";
    private static final String CLUSTER = "cluster";

    private final TlsProvider provider;
    /** What {@link #check} has made of a configuration and no start has taken yet, by the object that the configuration has. */
    private final Map<Object, Object> judged = Collections.synchronizedMap(new IdentityHashMap<>());

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
        String name = LISTENER + ' ' + listener.name();
        Materials materials = new Materials(provider, "");
        ServerSettings settings = (ServerSettings) judged.remove(tls);
        settings = usable(name, settings == null ? materials.server(tls) : settings, materials);
        long expiresMs = tell(name, tls.certificates(), settings.credentials());
        try {
            TlsContext context = provider.server(settings);
            TlsStats counts = counts(LISTENER, listener.name(), expiresMs, true, stats);
            ClientAuth auth = settings.clientAuth();
            if (auth != null) {
                tell(name, tls.crl(), auth.revoked(), auth.trust(), counts);
            }
            TlsHandshake handshake = new TlsHandshake(name, context, true, tls.maxHandshakes(), counts);
            return tls.mode() == ListenerTls.Mode.STRICT ? handshake : permissive(name, tls, handshake, counts);
        } catch (TlsException e) {
            throw refused(name, e);
        }
    }

    private static Handshake permissive(String name, ListenerTls tls, TlsHandshake handshake, TlsStats counts) {
        boolean required = tls.clientCertificates() == ListenerTls.ClientCertificates.REQUIRED;
        Log.warn(name + ": mode is permissive: whoever speaks plain HTTP is served"
                + (required ? ", without the certificate that is required of clients with TLS" : ""));
        return new PermissiveHandshake(handshake, counts);
    }

    /**
     * For a cluster that has {@code tls}.
     *
     * @throws IOException naming the cluster and the file that cannot be used
     */
    public Handshake of(ClusterConfig cluster, ClusterTls tls, Stats stats) throws IOException {
        String name = CLUSTER + ' ' + cluster.name();
        Materials materials = new Materials(provider, "");
        ClientSettings settings = (ClientSettings) judged.remove(tls);
        settings = usable(name, settings == null ? materials.client(tls) : settings, materials);
        if (!tls.verified()) {
            Log.warn(name + ": insecure-skip-verification is on: whoever answers is taken for the endpoint");
        }
        long expiresMs = tell(name, listed(tls.certificate()), listed(settings.credentials()));
        try {
            TlsContext context = provider.client(settings);
            TlsStats counts = counts(CLUSTER, cluster.name(), expiresMs, tls.verified(), stats);
            tell(name, tls.crl(), settings.revoked(), trustOf(settings), counts);
            return new TlsHandshake(name, context, false, Integer.MAX_VALUE, counts);
        } catch (TlsException e) {
            throw refused(name, e);
        }
    }

    private static <T> T usable(String name, @Nullable T settings, Materials materials) throws IOException {
        OpenSslProvider.tell();
        if (settings == null) {
            throw new IOException(name + ": " + materials.problems().get(0).message());
        }
        return settings;
    }

    private static <T> List<T> listed(@Nullable T one) {
        return one == null ? List.of() : List.of(one);
    }

    private static TlsStats counts(String side, String name, long expiresMs, boolean verified, Stats stats) {
        TlsStats counts = stats.add(new TlsStats(side, name, TlsFailure.labels()));
        counts.tell(expiresMs / MS_PER_S, verified);
        return counts;
    }

    private IOException refused(String name, TlsException cause) {
        return new IOException(name + ": TLS by " + provider.name() + ": " + cause.getMessage(), cause);
    }

    /** Logs what the certificates are, and tells when the first of them expires; 0 where there are none. */
    private static long tell(String name, List<TlsCertificate> certificates, List<Credentials> read) {
        long expiresMs = read.isEmpty() ? 0 : Long.MAX_VALUE;
        for (int i = 0; i < read.size(); i++) {
            CertificateInfo info = info(read.get(i));
            String line = name + ": " + describe(certificates.get(i), info);
            if (info.daysLeft(System.currentTimeMillis()) < WARNING_DAYS) {
                Log.warn(line);
            } else {
                Log.info(line);
            }
            expiresMs = Math.min(expiresMs, info.notAfterMs());
        }
        return expiresMs;
    }

    private static List<byte[]> trustOf(ClientSettings settings) {
        List<byte[]> trust = settings.trust();
        return trust == null ? List.of() : trust;
    }

    /** Logs what the revocation lists are, and tells when the first is outdated. */
    private static void tell(
            String name, @Nullable TlsFile crl, List<byte[]> revoked, List<byte[]> trust, TlsStats counts) {
        if (crl == null) {
            counts.tellLists(0);
            return;
        }
        RevocationFile lists = new RevocationFile(revoked);
        long nowMs = System.currentTimeMillis();
        for (String line : lists.describe(crl.path(), trust, nowMs)) {
            if (lists.isCurrentAt(nowMs)) {
                Log.info(name + ": " + line);
            } else {
                Log.warn(name + ": " + line);
            }
        }
        counts.tellLists(lists.nextUpdateMs() / MS_PER_S);
    }

    private static CertificateInfo info(Credentials read) {
        try {
            return CertificateInfo.of(read.chain().get(0));
        } catch (TlsException e) {
            throw new IllegalStateException("a certificate that was judged when it was read", e);
        }
    }

    private static String describe(TlsCertificate certificate, CertificateInfo info) {
        long nowMs = System.currentTimeMillis();
        long days = info.daysLeft(nowMs);
        String count = Math.abs(days) + (Math.abs(days) == 1 ? " day" : " days");
        String when = info.isValidAt(nowMs) ? "expires in " + count : "not valid yet";
        if (info.notAfterMs() < nowMs) {
            when = "expired " + count + " ago";
        }
        return "certificate " + certificate.chain().path() + ": " + info.names() + "; " + when;
    }

    // ---- for remora check

    /**
     * Reads, parses and pairs every file that the configuration names. A start from the same configuration reads none again.
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

    private void check(Materials materials, String name, ListenerTls tls, StringBuilder told) {
        ServerSettings settings = materials.server(tls);
        if (settings != null) {
            judged.put(tls, settings);
            append(told, name, tls.certificates(), settings.credentials());
            ClientAuth auth = settings.clientAuth();
            if (auth != null) {
                append(told, name, tls.crl(), auth.revoked(), auth.trust());
            }
        }
    }

    private static void append(
            StringBuilder told, String name, @Nullable TlsFile crl, List<byte[]> revoked, List<byte[]> trust) {
        if (crl != null) {
            RevocationFile lists = new RevocationFile(revoked);
            for (String line : lists.describe(crl.path(), trust, System.currentTimeMillis())) {
                told.append(name).append(": ").append(line).append('\n');
            }
        }
    }

    private void check(Materials materials, String file, String name, ClusterTls tls, StringBuilder told) {
        try {
            ClientSettings settings = materials.client(tls);
            if (settings != null) {
                judged.put(tls, settings);
                append(told, name, listed(tls.certificate()), listed(settings.credentials()));
                append(told, name, tls.crl(), settings.revoked(), trustOf(settings));
            }
        } catch (IOException e) {
            // the system's bundle, which stands at no place of the file
            materials.problems().add(new Problem(file, 1, 1, String.valueOf(e.getMessage())));
        }
    }

    private static void append(
            StringBuilder told, String name, List<TlsCertificate> certificates, List<Credentials> read) {
        for (int i = 0; i < read.size(); i++) {
            told.append(name).append(": ");
            told.append(describe(certificates.get(i), info(read.get(i)))).append('\n');
        }
    }
}
