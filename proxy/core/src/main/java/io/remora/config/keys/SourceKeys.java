package io.remora.config.keys;

import io.remora.config.model.DnsSource;
import io.remora.config.model.KubernetesSource;

/** The keys of the resolvers that ask over HTTP, in the order of the page. Loaded only where a resolver is configured. */
public final class SourceKeys {
    private static final long SECOND_NS = 1_000_000_000L;

    /** A service in Consul whose instances are the endpoints. See [endpoints.md](endpoints.md). */
    public static final Key CONSUL =
            Key.optional(ClusterKeys.RESOLVER, "consul", "mapping with `address` and `service`");

    /**
     * The agent or servers to ask, as {@code HOST:PORT} or a list of them. A name, which is looked up as that of {@code dns},
     * stands alone.
     */
    public static final Key CONSUL_ADDRESS = Key.required(CONSUL, "address", "address, or list of addresses");

    /** The name of the service. */
    public static final Key CONSUL_SERVICE = Key.required(CONSUL, "service", "name");

    /** By default the one of whoever is asked. */
    public static final Key CONSUL_DATACENTER = Key.optional(CONSUL, "datacenter", "name");

    /** Only instances with this tag are endpoints. */
    public static final Key CONSUL_TAG = Key.optional(CONSUL, "tag", "tag");

    /**
     * {@code false} takes in instances with a warning too, with the weight that they have for that. Critical ones are never
     * endpoints.
     */
    public static final Choice<Boolean> CONSUL_PASSING_ONLY = Key.flag(CONSUL, "passing-only", true);

    /** How long Consul holds a question to which it has no new answer. Within about this time a lost server is noticed. */
    public static final Key CONSUL_WAIT = between(CONSUL, "wait", "duration, `1s` to `10m`", 600, 60);

    /**
     * A file with the token that is shown to Consul. It is read before each question, so that it may rotate. It needs {@code tls}
     * unless the addresses are those of this host's loopback.
     */
    public static final Key CONSUL_TOKEN_FILE = Key.optional(CONSUL, "token-file", "path");

    /** TLS to Consul: the keys are those of a cluster's {@code tls}. */
    public static final Key CONSUL_TLS = Key.mappingOrOff(CONSUL, "tls");

    /** A service of Kubernetes whose EndpointSlices have the endpoints. See [endpoints.md](endpoints.md). */
    public static final Key KUBERNETES = Key.optional(ClusterKeys.RESOLVER, "kubernetes", "mapping with `service`");

    /** The name of the service. */
    public static final Key KUBERNETES_SERVICE = Key.required(KUBERNETES, "service", "name");

    /** By default the pod's own. */
    public static final Key KUBERNETES_NAMESPACE = Key.optional(KUBERNETES, "namespace", "name");

    /**
     * The name of one of the service's ports, or the number that it has at the pods: EndpointSlices do not know the service's
     * own number. Needed where there are several.
     */
    public static final Key KUBERNETES_PORT = Key.optional(KUBERNETES, "port", "name, or 1 to 65535");

    /** As for {@code dns}, of a service whose pods have addresses of both kinds. */
    public static final Choice<DnsSource.Family> KUBERNETES_FAMILY =
            new Choice<>(KUBERNETES, "family", DnsSource.Family.values(), DnsSource.Family.AUTO);

    /** How long the server holds a watch. Within about this time a lost server is noticed. */
    public static final Key KUBERNETES_WATCH_TIMEOUT =
            between(KUBERNETES, "watch-timeout", "duration, `1s` to `1h`", 3_600, 300);

    /**
     * The API server, as {@code HOST:PORT} or a list; by default the one that the environment of each pod names
     * ({@code KUBERNETES_SERVICE_HOST}).
     */
    public static final Key KUBERNETES_ADDRESS = Key.optional(KUBERNETES, "address", "address, or list of addresses");

    /** A file with the bearer token, read before each question; the default is that of the pod's service account. */
    public static final Key KUBERNETES_TOKEN_FILE =
            Key.text(KUBERNETES, "token-file", "path, or off", KubernetesSource.POD + "token");

    /**
     * TLS to the API server: the keys are those of a cluster's {@code tls}. By default the pod's {@code ca.crt} is trusted, and
     * the name {@code kubernetes.default.svc} expected. {@code off} is for a proxy on this host's loopback, and shows no token
     * unless {@code token-file} says which.
     */
    public static final Key KUBERNETES_TLS = Key.text(KUBERNETES, "tls", Key.MAPPING_OR_OFF, "the pod's CA");

    private SourceKeys() {}

    private static Key between(Key parent, String name, String type, long maxSeconds, long seconds) {
        return new Key(
                parent,
                name,
                type,
                null,
                false,
                Units.DURATION,
                SECOND_NS,
                maxSeconds * SECOND_NS,
                seconds * SECOND_NS);
    }
}
