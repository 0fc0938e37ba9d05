package io.remora.discovery;

import io.remora.config.keys.Choice;
import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.PlacedOption;
import io.remora.config.keys.Units;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Address;
import io.remora.config.yaml.AddressText;
import io.remora.config.yaml.FilePath;
import io.remora.config.yaml.Names;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import io.remora.text.Ascii;
import io.remora.tls.config.ClusterTls;
import io.remora.tls.config.TlsFile;
import io.remora.tls.config.TlsPart;
import io.remora.tls.config.TlsPlaces;
import io.remora.tls.config.TlsProtocols;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The resolvers that ask over HTTP: their keys in the order of the page, read and shown. Tokens are not shown, only where they are. */
public final class SourcePart {
    private static final long SECOND_NS = 1_000_000_000L;

    /** Consul service whose instances are the endpoints. See [endpoints.md](endpoints.md). */
    public static final Key CONSUL =
            Key.optional(ClusterKeys.RESOLVER, "consul", "mapping with `address` and `service`");

    /**
     * Address of the Consul agent or servers, as {@code HOST:PORT} or a list of addresses. A host name is resolved like
     * {@code dns}, and must be the only address.
     */
    public static final Key CONSUL_ADDRESS = Key.required(CONSUL, "address", "address, or list of addresses");

    /** Name of the service. */
    public static final Key CONSUL_SERVICE = Key.required(CONSUL, "service", "name");

    /** Datacenter of the service. Defaults to the datacenter of the agent or server. */
    public static final Key CONSUL_DATACENTER = Key.optional(CONSUL, "datacenter", "name");

    /** Only uses instances with this tag. */
    public static final Key CONSUL_TAG = Key.optional(CONSUL, "tag", "tag");

    /**
     * Only uses passing instances. Set it to {@code false} to include instances in the warning state, with their
     * warning weight. Critical instances are never used.
     */
    public static final Choice<Boolean> CONSUL_PASSING_ONLY = Key.flag(CONSUL, "passing-only", true);

    /**
     * Maximum time that Consul holds a query while nothing changes. A lost server is detected after about this time.
     */
    public static final ValueKey<Long> CONSUL_WAIT =
            Key.durationNs(CONSUL, "wait", "duration, `1s` to `10m`", SECOND_NS, 600 * SECOND_NS, 60 * SECOND_NS);

    /**
     * File with the Consul token. It is read before each query, so that you can rotate it. Requires {@code tls} unless
     * all addresses are loopback addresses of this host.
     */
    public static final Key CONSUL_TOKEN_FILE = Key.optional(CONSUL, "token-file", "path");

    /** TLS to Consul. Takes the same keys as {@code tls} of a cluster. */
    public static final Key CONSUL_TLS = Key.mappingOrOff(CONSUL, "tls");

    /** Kubernetes service whose EndpointSlices provide the endpoints. See [endpoints.md](endpoints.md). */
    public static final Key KUBERNETES = Key.optional(ClusterKeys.RESOLVER, "kubernetes", "mapping with `service`");

    /** Name of the service. */
    public static final Key KUBERNETES_SERVICE = Key.required(KUBERNETES, "service", "name");

    /** Namespace of the service. Defaults to the namespace of the pod. */
    public static final Key KUBERNETES_NAMESPACE = Key.optional(KUBERNETES, "namespace", "name");

    /**
     * Name of a service port, or its number at the pods, because EndpointSlices do not contain the port number of the
     * service. Required if the service has several ports.
     */
    public static final Key KUBERNETES_PORT = Key.optional(KUBERNETES, "port", "name, or 1 to 65535");

    /** Address families to use if pods have IPv4 and IPv6 addresses, as in {@code dns.family}. */
    public static final Choice<DnsSource.Family> KUBERNETES_FAMILY =
            new Choice<>(KUBERNETES, "family", DnsSource.Family.values(), DnsSource.Family.AUTO);

    /** Maximum duration of a watch. A lost server is detected after about this time. */
    public static final ValueKey<Long> KUBERNETES_WATCH_TIMEOUT = Key.durationNs(
            KUBERNETES, "watch-timeout", "duration, `1s` to `1h`", SECOND_NS, 3_600 * SECOND_NS, 300 * SECOND_NS);

    /**
     * Address of the API server, as {@code HOST:PORT} or a list of addresses. Defaults to {@code
     * KUBERNETES_SERVICE_HOST} from the environment of the pod.
     */
    public static final Key KUBERNETES_ADDRESS = Key.optional(KUBERNETES, "address", "address, or list of addresses");

    /** File with the bearer token, which is read before each query. Defaults to the token of the service account. */
    public static final Key KUBERNETES_TOKEN_FILE =
            Key.text(KUBERNETES, "token-file", "path, or off", KubernetesSource.POD + "token");

    /**
     * TLS to the API server. Takes the same keys as {@code tls} of a cluster. By default, the {@code ca.crt} of the pod
     * is trusted, and the server name is {@code kubernetes.default.svc}. Use {@code off} for a proxy on loopback of
     * this host. In this case, a token is only sent if {@code token-file} is set.
     */
    public static final Key KUBERNETES_TLS = Key.text(KUBERNETES, "tls", Key.MAPPING_OR_OFF, "the pod's CA");

    private static final String API_SERVER = "kubernetes.default.svc";
    private static final int MAX_LABEL_CHARS = 63;
    private static final int MAX_PORT = 65_535;

    private final Problems problems;

    SourcePart(Problems problems) {
        this.problems = problems;
    }

    // ---- Consul

    ConsulSource consul(Section section) {
        Node service = section.requiredText(CONSUL_SERVICE, "the name of a service");
        List<Address> addresses = addresses(section, CONSUL_ADDRESS);
        if (!section.has(CONSUL_ADDRESS)) {
            section.missing(CONSUL_ADDRESS, "the address of an agent, such as 127.0.0.1:8500");
        }
        ConsulSource consul = new ConsulSource(
                printable(service, "service"),
                optional(section, CONSUL_DATACENTER),
                optional(section, CONSUL_TAG),
                section.get(CONSUL_PASSING_ONLY),
                section.get(CONSUL_WAIT),
                new SourceServer(addresses, optional(section, CONSUL_TOKEN_FILE), tls(section, CONSUL_TLS)));
        judge(section.value(CONSUL_TOKEN_FILE), consul.server());
        section.end();
        return consul;
    }

    private @Nullable String optional(Section section, Key key) {
        Node node = section.text(key);
        return node == null ? null : printable(node, key.name);
    }

    private String printable(@Nullable Node node, String name) {
        if (node == null) {
            return "";
        }
        if (node.text.isEmpty()) {
            problems.at(node, name + " is empty, expected text");
        }
        return node.text.isEmpty() || Names.headerValue(node, name, problems) == null ? "" : node.text;
    }

    // ---- Kubernetes

    KubernetesSource kubernetes(Section section) {
        Node service = section.requiredText(KUBERNETES_SERVICE, "the name of a service");
        Node namespace = section.text(KUBERNETES_NAMESPACE);
        KubernetesSource kubernetes = new KubernetesSource(
                label(service, "service"),
                namespace == null ? null : label(namespace, "namespace"),
                port(section.text(KUBERNETES_PORT)),
                section.get(KUBERNETES_FAMILY),
                section.get(KUBERNETES_WATCH_TIMEOUT),
                apiServer(section));
        section.end();
        return kubernetes;
    }

    private String label(@Nullable Node node, String name) {
        if (node == null) {
            return "";
        }
        if (!isLabel(node.text)) {
            problems.at(node, name + " is " + node.quoted() + ", expected lower-case letters, digits and '-'");
        }
        return node.text;
    }

    private static boolean isLabel(String text) {
        boolean label = !text.isEmpty() && text.length() <= MAX_LABEL_CHARS;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean inside = i > 0 && i < text.length() - 1;
            label &= Ascii.isAlphanumeric(c) && (c < 'A' || c > 'Z') || c == '-' && inside;
        }
        return label;
    }

    private @Nullable String port(@Nullable Node port) {
        if (port == null) {
            return null;
        }
        if (!port.text.isEmpty() && port.text.charAt(0) >= '0' && port.text.charAt(0) <= '9') {
            return Long.toString(port.number(Units.NONE, KUBERNETES_PORT.name, 1, 1, MAX_PORT, problems));
        }
        return label(port, "port");
    }

    private SourceServer apiServer(Section section) {
        List<Address> addresses = addresses(section, KUBERNETES_ADDRESS);
        Node given = section.value(KUBERNETES_TLS);
        boolean off = given != null && given.isText(Key.OFF);
        if (given != null && off && !section.has(KUBERNETES_ADDRESS)) {
            problems.at(given, "tls: off requires address");
        }
        Node token = section.text(KUBERNETES_TOKEN_FILE);
        String file = token == null ? off ? Key.OFF : KUBERNETES_TOKEN_FILE.fallbackText() : token.text;
        if (token != null) {
            FilePath.judge(token, "token-file", file, "a path, or off", problems);
        }
        SourceServer server = new SourceServer(
                addresses,
                file.equals(Key.OFF) ? null : file,
                given == null ? podTls(section) : tls(section, KUBERNETES_TLS));
        if (token != null || given != null) {
            judge(token == null ? given : token, server);
        }
        return server;
    }

    private static ClusterTls podTls(Section section) {
        List<String> names = List.of(API_SERVER);
        TlsFile trust = new TlsFile(KubernetesSource.POD + "ca.crt", section.node.line, section.node.column);
        TlsPlaces places = TlsPart.places(section.node);
        return new ClusterTls(
                trust,
                API_SERVER,
                names,
                List.of(),
                true,
                null,
                new TlsProtocols("1.2", List.of(), List.of(), ClusterTls.HTTP1_ONLY),
                null,
                places);
    }

    // ---- both

    private @Nullable ClusterTls tls(Section section, Key key) {
        Section tls = section.sectionOrOff(key);
        return tls == null ? null : new TlsPart(problems).cluster(tls);
    }

    /** Reads the servers' addresses, none where they are not given. */
    private List<Address> addresses(Section section, Key key) {
        Node value = section.value(key);
        if (value == null) {
            return List.of();
        }
        List<Node> items = value.kind == Node.Kind.TEXT
                ? List.of(value)
                : section.requiredList(key, "HOST:PORT, or a list of one or more");
        List<Address> addresses = new ArrayList<>();
        for (Node item : items) {
            Address address = AddressText.read(item, key.name, 1, problems);
            if (address != null && items.size() > 1 && SourceServer.isName(address)) {
                problems.at(
                        item,
                        key.name + " " + item.quoted()
                                + " is a name in a list, expected IP addresses or a single name");
            }
            addresses.add(address == null ? AddressText.NONE : address);
        }
        return List.copyOf(addresses);
    }

    /**
     * Refuses a token without TLS that verifies the server: it is as good as a password, and only the server may see
     * it.
     */
    private void judge(@Nullable Node at, SourceServer server) {
        ClusterTls tls = server.tls();
        if (at == null || server.tokenFile() == null || tls != null && tls.verified()) {
            return;
        }
        for (Address address : server.addresses()) {
            if (!address.isLoopback() && !address.equals(AddressText.NONE)) {
                String lack = tls == null ? "without tls" : "with insecure-skip-verification";
                problems.at(
                        at,
                        "a token for '" + address + "' " + lack
                                + ", expected tls with verification or a loopback address, because others could read"
                                + " it");
                return;
            }
        }
        if (server.addresses().isEmpty() && tls != null) {
            problems.at(at, "a token with insecure-skip-verification, expected tls with verification");
        }
    }

    static void show(KeyWriter out, ConsulSource consul) {
        out.section(CONSUL);
        show(out, CONSUL_ADDRESS, consul.server().addresses());
        out.text(CONSUL_SERVICE, consul.service());
        out.optional(CONSUL_DATACENTER, consul.datacenter());
        out.optional(CONSUL_TAG, consul.tag());
        out.put(CONSUL_PASSING_ONLY, consul.passingOnly());
        out.put(CONSUL_WAIT, consul.waitNs());
        out.optional(CONSUL_TOKEN_FILE, consul.server().tokenFile());
        PlacedOption.showOrOff(out, consul.server().tls(), CONSUL_TLS);
    }

    static void show(KeyWriter out, KubernetesSource kubernetes) {
        out.section(KUBERNETES);
        out.text(KUBERNETES_SERVICE, kubernetes.service());
        out.optional(KUBERNETES_NAMESPACE, kubernetes.namespace());
        out.optional(KUBERNETES_PORT, kubernetes.port());
        out.put(KUBERNETES_FAMILY, kubernetes.family());
        out.put(KUBERNETES_WATCH_TIMEOUT, kubernetes.watchNs());
        show(out, KUBERNETES_ADDRESS, kubernetes.server().addresses());
        String token = kubernetes.server().tokenFile();
        out.text(KUBERNETES_TOKEN_FILE, token == null ? Key.OFF : token);
        PlacedOption.showOrOff(out, kubernetes.server().tls(), KUBERNETES_TLS);
    }

    private static void show(KeyWriter out, Key key, List<Address> addresses) {
        List<String> all = new ArrayList<>();
        for (Address address : addresses) {
            all.add(address.toString());
        }
        if (!all.isEmpty()) {
            out.list(key, all, "");
        }
    }
}
