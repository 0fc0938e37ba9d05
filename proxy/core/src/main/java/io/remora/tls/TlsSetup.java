package io.remora.tls;

import io.remora.config.model.AdminConfig;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.LogComponent;
import io.remora.config.model.Problem;
import io.remora.config.model.ProxyConfig;
import io.remora.files.FileStamp;
import io.remora.files.FileWatch;
import io.remora.log.Log;
import io.remora.memory.MemoryCosts;
import io.remora.metrics.Stats;
import io.remora.metrics.TlsStats;
import io.remora.tls.config.ClusterTls;
import io.remora.tls.config.ListenerTls;
import io.remora.tls.openssl.OpenSslProvider;
import io.remora.transport.Handshake;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Creates a configuration's handshakes, which follow their files, and judges the files that the configuration names.
 *
 * <p>Thread safe.
 */
public final class TlsSetup {
    private static final String LISTENER = "listener";
    private static final String CLUSTER = "cluster";
    private static final String ADMIN = "admin";
    /** Host that stands for any host. */
    private static final String SAMPLE = "host.test";

    private final TlsProvider provider;
    private final FileWatch watch;
    private final Executor computing;
    /** Material that {@link #check} has made and no start has taken yet, by the configuration's object. */
    private final Map<Object, Begun> judged = Collections.synchronizedMap(new IdentityHashMap<>());

    public TlsSetup(TlsProvider provider, FileWatch watch) {
        this(provider, watch, new HandshakeThread());
    }

    /**
     * @param computing what handshakes compute on; a {@link HandshakeThread} ends with this
     */
    public TlsSetup(TlsProvider provider, FileWatch watch, Executor computing) {
        this.provider = provider;
        this.watch = watch;
        this.computing = computing;
    }

    /**
     * Uses OpenSSL or AWS-LC where the image or the host has it with its binding, else the JDK's engine. A caller need not know,
     * and so not load, the type of a provider.
     */
    public static TlsSetup byWhatIsThere(FileWatch watch) {
        TlsProvider openSsl = OpenSslProvider.load();
        return new TlsSetup(openSsl == null ? new JdkProvider() : openSsl, watch);
    }

    /**
     * Returns the cost of connections that the configuration protects. The admin listener's are no part of the budget.
     */
    public MemoryCosts costs(ProxyConfig config) {
        boolean ofClients = false;
        boolean ofBackends = false;
        for (ListenerConfig listener : config.listeners()) {
            ofClients |= listener.tls() != null;
        }
        for (ClusterConfig cluster : config.clusters().values()) {
            ofBackends |= cluster.has(ClusterConfig.TLS);
        }
        return provider.costs()
                .of(ofClients, ofBackends, config.admin().tls() == null ? 0 : AdminConfig.MAX_CONNECTIONS);
    }

    // ---- for a start

    /**
     * Returns the handshake of a listener that has {@code tls}.
     *
     * @throws IOException naming the listener and the file that cannot be used
     */
    public Handshake of(ListenerConfig listener, ListenerTls tls, Stats stats) throws IOException {
        String name = LISTENER + ' ' + listener.name();
        TlsStats counts = stats.add(new TlsStats(LISTENER, listener.name(), TlsFailure.labels()));
        TlsHandshake handshake = accepting(name, tls, counts, stats);
        return tls.mode() == ListenerTls.Mode.STRICT ? handshake : permissive(name, tls, handshake, counts);
    }

    /**
     * Returns the handshake of an admin listener that has {@code tls}.
     *
     * @throws IOException naming the file that cannot be used
     */
    public Handshake ofAdmin(ListenerTls tls, Stats stats) throws IOException {
        return accepting(ADMIN, tls, stats.add(new TlsStats(ADMIN, ADMIN, TlsFailure.labels())), stats);
    }

    private TlsHandshake accepting(String name, ListenerTls tls, TlsStats counts, Stats stats) throws IOException {
        Begun begun = begin(tls, source(name, tls));
        counts.tell(begun.material.expiresSeconds(), true);
        return rotating(begun, true, tls.maxHandshakes(), counts, stats);
    }

    private static Handshake permissive(String name, ListenerTls tls, TlsHandshake handshake, TlsStats counts) {
        boolean required = tls.clientCertificates() == ListenerTls.ClientCertificates.REQUIRED;
        Log.warn(
                LogComponent.TLS,
                name + ": mode is permissive; serving clients without TLS"
                        + (required ? ", from whom no certificate can be required" : ""));
        return new PermissiveHandshake(handshake, counts);
    }

    /**
     * Returns the handshake of a cluster that has {@code tls}.
     *
     * @throws IOException naming the cluster and the file that cannot be used
     */
    public Handshake of(ClusterConfig cluster, ClusterTls tls, Stats stats) throws IOException {
        String name = CLUSTER + ' ' + cluster.name();
        Begun begun = begin(tls, source(name, tls));
        if (!tls.verified()) {
            Log.warn(
                    LogComponent.TLS, name + ": insecure-skip-verification is on; trusting any server as the endpoint");
        }
        TlsStats counts = stats.add(new TlsStats(CLUSTER, cluster.name(), TlsFailure.labels()));
        counts.tell(begun.material.expiresSeconds(), tls.verified());
        return rotating(begun, false, Integer.MAX_VALUE, counts, stats);
    }

    private TlsMaterial.Source source(String name, ListenerTls tls) {
        return new TlsMaterial.OfListener(provider, name, tls);
    }

    private TlsMaterial.Source source(String name, ClusterTls tls) {
        return new TlsMaterial.OfCluster(provider, name, tls);
    }

    private Begun begin(Object configured, TlsMaterial.Source fresh) throws IOException {
        Begun known = judged.remove(configured);
        OpenSslProvider.tell();
        Begun begun = known == null ? Begun.read(fresh) : known;
        begun.material.tell(System.currentTimeMillis());
        return begun;
    }

    /**
     * @param all where the counts end with the handshakes
     */
    private TlsHandshake rotating(Begun begun, boolean server, int maxInFlight, TlsStats counts, Stats all) {
        counts.tellLists(begun.material.listsExpireSeconds());
        String name = begun.source.name();
        TlsHandshake handshake =
                new TlsHandshake(name, begun.material.context(), server, maxInFlight, computing, counts);
        Rotation rotation = new Rotation(begun.source, begun.files, begun.stamps, begun.material, handshake, counts);
        handshake.onEnd(new Runnable() {
            @Override
            public void run() {
                watch.remove(rotation);
                all.remove(counts);
            }
        });
        watch.add(rotation);
        return handshake;
    }

    /** Releases material that was judged and not taken. */
    public void close() {
        if (computing instanceof HandshakeThread thread) {
            thread.close();
        }
        forget();
    }

    /** Releases material that was judged, and not taken by a start or a reload. */
    public void forget() {
        synchronized (judged) {
            for (Begun one : judged.values()) {
                one.material.context().release();
            }
            judged.clear();
        }
    }

    /** Material to begin with, and the stamps of its files from before they were read, so that no change falls in between. */
    private static final class Begun {
        final TlsMaterial.Source source;
        final Path[] files;
        final FileStamp[] stamps;
        final TlsMaterial material;

        Begun(TlsMaterial.Source source, Path[] files, FileStamp[] stamps, TlsMaterial material) {
            this.source = source;
            this.files = files;
            this.stamps = stamps;
            this.material = material;
        }

        static Begun read(TlsMaterial.Source source) throws IOException {
            Path[] files = Rotation.files(source);
            FileStamp[] stamps = FileStamp.of(files);
            return new Begun(source, files, stamps, source.read());
        }

        /** Null where there is a problem, which the materials have then. */
        static @Nullable Begun judge(TlsMaterial.Source source, Materials materials) {
            Path[] files = Rotation.files(source);
            FileStamp[] stamps = FileStamp.of(files);
            TlsMaterial material = source.read(materials);
            return material == null ? null : new Begun(source, files, stamps, material);
        }
    }

    // ---- for remora check

    /**
     * Reads, parses and pairs every file that the configuration names, and makes material as a start does. A start from
     * the same configuration takes it.
     *
     * @param file name of the configuration, for messages
     * @return a line for each certificate of our own, with its names and how long it is valid, and for each revocation
     *     list
     * @throws ConfigException with everything that is wrong
     */
    public String check(String file, ProxyConfig config) throws ConfigException {
        Materials materials = new Materials(provider, file);
        StringBuilder told = new StringBuilder();
        if (config.admin().tls() instanceof ListenerTls admin) {
            check(materials, admin, source(ADMIN, admin), told);
        }
        for (ListenerConfig listener : config.listeners()) {
            ListenerTls tls = listener.options().get(ListenerTls.TLS);
            if (tls != null) {
                check(materials, tls, source(LISTENER + ' ' + listener.name(), tls), told);
            }
        }
        for (ClusterConfig cluster : config.clusters().values()) {
            ClusterTls tls = cluster.options().get(ClusterTls.TLS);
            if (tls != null && !cluster.has(ClusterConfig.TEMPLATE)) {
                check(materials, tls, source(CLUSTER + ' ' + cluster.name(), tls), told);
            } else if (tls != null) {
                checkTemplate(materials, tls.forHost(SAMPLE), CLUSTER + ' ' + cluster.name(), told);
            }
            ClusterTls ofSource = cluster.options().get(ClusterTls.SOURCE_TLS);
            if (ofSource != null) {
                check(materials, ofSource, source("resolver of cluster " + cluster.name(), ofSource), told);
            }
        }
        List<Problem> problems = materials.problems();
        if (!problems.isEmpty()) {
            forget();
            Collections.sort(problems);
            throw new ConfigException(problems);
        }
        return told.toString();
    }

    /** Checks a template's settings with a sample host; no start takes the result. */
    private void checkTemplate(Materials materials, ClusterTls sample, String name, StringBuilder told) {
        check(materials, sample, source(name, sample), told);
        Begun begun = judged.remove(sample);
        if (begun != null) {
            begun.material.context().release();
        }
    }

    private void check(Materials materials, Object configured, TlsMaterial.Source source, StringBuilder told) {
        Begun begun = Begun.judge(source, materials);
        if (begun != null) {
            judged.put(configured, begun);
            for (String line : begun.material.text(System.currentTimeMillis())) {
                told.append(line).append('\n');
            }
        }
    }
}
