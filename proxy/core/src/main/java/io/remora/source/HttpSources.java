package io.remora.source;

import io.remora.config.model.Address;
import io.remora.discovery.ConsulSource;
import io.remora.discovery.KubernetesSource;
import io.remora.discovery.ResolverConfig;
import io.remora.engine.Engine;
import io.remora.naming.Addr;
import io.remora.naming.Resolver;
import io.remora.transport.Loop;
import java.io.IOException;
import java.util.List;

/**
 * Resolvers of clusters whose endpoints come from HTTP sources. Loaded only where one is configured.
 *
 * <p>Immutable.
 */
public final class HttpSources implements Resolver {
    private final String cluster;
    private final ResolverConfig config;
    private final KubernetesPod pod;
    private final Engine engine;
    private final Loop loop;
    private final long seed;

    private HttpSources(String cluster, ResolverConfig config, KubernetesPod pod, Engine engine, Loop loop, long seed) {
        this.cluster = cluster;
        this.config = config;
        this.pod = pod;
        this.engine = engine;
        this.loop = loop;
        this.seed = seed;
    }

    /**
     * @param cluster whose endpoints they are
     * @param engine that carries the questions
     * @param loop on which it does
     * @param seed that nobody can guess
     * @throws IOException where the pod has to say something and does not
     */
    public static Resolver of(String cluster, ResolverConfig config, Engine engine, Loop loop, long seed)
            throws IOException {
        KubernetesSource kubernetes = config.kubernetes();
        KubernetesPod pod = kubernetes == null ? KubernetesPod.NONE : KubernetesPod.of(cluster, kubernetes);
        return new HttpSources(cluster, config, pod, engine, loop, seed);
    }

    @Override
    public AutoCloseable watch(Watcher watcher) {
        watcher.changed(new Addr.Pending());
        Source source = source(watcher);
        Thread thread = new Thread(source, "remora-" + config.kind() + '-' + cluster);
        thread.setDaemon(true);
        thread.start();
        return source;
    }

    private Source source(Watcher watcher) {
        ConsulSource consul = config.consul();
        if (consul != null) {
            List<Address> addresses = consul.server().addresses();
            SourceClient client = new SourceClient(
                    cluster + "/consul", consul.server(), addresses, "X-Consul-Token", "", engine, loop);
            return new Consul(cluster, consul, client, watcher, seed);
        }
        KubernetesSource kubernetes = config.kubernetes();
        if (kubernetes == null) {
            throw new IllegalStateException("cluster " + cluster + ": no source");
        }
        SourceClient client = new SourceClient(
                cluster + "/kubernetes",
                kubernetes.server(),
                pod.addresses(),
                "Authorization",
                "Bearer ",
                engine,
                loop);
        return new Kubernetes(cluster, kubernetes, pod.namespace(), client, watcher, seed);
    }
}
