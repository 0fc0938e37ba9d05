package io.remora.discovery;

import io.remora.config.keys.Choice;
import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.Units;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Address;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Limits;
import io.remora.config.model.Options;
import io.remora.config.yaml.AddressText;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.FilePath;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import io.remora.text.HostVariable;
import io.remora.tls.config.ClusterTls;
import java.util.ArrayList;
import java.util.List;

/** A cluster's {@code resolver}: its keys in the order of the page, read and shown. Loaded only where one is configured. */
public final class ResolverPart {
    public static final String NAME = "resolver";

    /**
     * File with a list of endpoints, in YAML or JSON. The file is watched for changes. See
     * [endpoints.md](endpoints.md).
     */
    public static final Key FILE = Key.optional(ClusterKeys.RESOLVER, "file", "path");

    /** DNS name of the endpoints. See [endpoints.md](endpoints.md). */
    public static final Key DNS = Key.optional(ClusterKeys.RESOLVER, "dns", "mapping with `name` or `srv`");

    /**
     * Host whose addresses are the endpoints. Requires {@code port}. Short names are completed with {@code
     * /etc/resolv.conf}.
     */
    public static final Key DNS_NAME = Key.optional(DNS, "name", "DNS name");

    /** Port for all addresses of {@code name}. In a template, you can use {@code {port}}. */
    public static final Key DNS_PORT = Key.optional(DNS, "port", "1 to 65535, or `{port}`");

    /** Service whose SRV records provide endpoints with ports, priorities and weights (RFC 2782). */
    public static final Key DNS_SRV = Key.optional(DNS, "srv", "`_SERVICE._PROTOCOL.DNS-NAME`");

    /**
     * Address families to look up. {@code auto} uses IPv6 only if there are no IPv4 addresses. This avoids losing half
     * of the requests on a host without a route for one of them. {@code both} uses all addresses, and only one family
     * while the other has no response.
     */
    public static final Choice<DnsSource.Family> DNS_FAMILY =
            new Choice<>(DNS, "family", DnsSource.Family.values(), DnsSource.Family.AUTO);

    /** DNS servers as {@code IP:PORT}, instead of those in {@code /etc/resolv.conf}. */
    public static final Key DNS_SERVERS = Key.optional(DNS, "servers", "list of addresses");

    /**
     * Minimum time between two queries, even if the TTL is shorter. The default is the TTL of Kubernetes records, and
     * protects servers whose records have no TTL.
     */
    public static final ValueKey<Long> DNS_MIN_REFRESH = Key.durationNs(DNS, "min-refresh", DnsSource.MIN_REFRESH_NS);

    /**
     * Maximum time between two queries, reduced by up to 10 % at random. Few changes can wait longer than the default.
     */
    public static final ValueKey<Long> DNS_MAX_REFRESH = Key.durationNs(DNS, "max-refresh", DnsSource.MAX_REFRESH_NS);

    /**
     * Time to keep the last endpoints when the source stops responding; {@code off} removes them immediately. The
     * default keeps them forever, because known endpoints are more useful than none.
     */
    public static final Key KEEP_LAST =
            Key.text(ClusterKeys.RESOLVER, "keep-last", "duration, off or forever", "forever");

    /**
     * Maximum number of requests per event loop that wait for the first response of the source, instead of failing
     * right after the pod starts. Further requests get 503. The sidecar reads at most one buffer of a waiting
     * request.
     */
    public static final ValueKey<Integer> PENDING =
            Key.count(ClusterKeys.RESOLVER, "pending", 0, Key.MAX_PER_CONNECTION, ResolverConfig.PENDING);

    /**
     * Maximum time that these requests wait. After that, they get 503. The default is the time that a DNS server takes
     * to start next to the pod. It also limits the delay before a query goes to the next DNS server, see
     * [endpoints.md](endpoints.md#dns).
     */
    public static final ValueKey<Long> PENDING_TIMEOUT =
            Key.durationNs(ClusterKeys.RESOLVER, "pending-timeout", ResolverConfig.PENDING_TIMEOUT_NS);

    private static final int MAX_PORT = 65_535;

    private final Problems problems;
    /** True if names and the port may be those of the request's host. */
    private final boolean byHost;

    private ResolverPart(Problems problems, boolean byHost) {
        this.problems = problems;
        this.byHost = byHost;
    }

    /** Reads a cluster's {@code resolver}. */
    public static final class Reader implements FeaturePart {
        @Override
        public Options read(FeatureSection from, Options options) {
            ResolverConfig resolver = ResolverPart.read(from.section, from.problems);
            SourceServer server = resolver.server();
            Options all = options.with(ResolverConfig.RESOLVER, resolver);
            return server == null
                    ? all
                    : all.with(ClusterConfig.SOURCE, resolver.kind()).with(ClusterTls.SOURCE_TLS, server.tls());
        }
    }

    private static ResolverConfig read(Section cluster, Problems problems) {
        Section section = cluster.section(ClusterKeys.RESOLVER);
        Node endpoints = cluster.value(ClusterKeys.ENDPOINTS);
        if (endpoints != null) {
            problems.at(endpoints, "endpoints cannot be combined with resolver");
        }
        return new ResolverPart(problems, cluster.has(ClusterKeys.TEMPLATE)).resolver(section);
    }

    private ResolverConfig resolver(Section section) {
        Node file = section.text(FILE);
        Node dns = section.value(DNS);
        boolean consul = section.has(SourcePart.CONSUL);
        boolean kubernetes = section.has(SourcePart.KUBERNETES);
        judgeChoice(section);
        if (file != null) {
            FilePath.judge(file, "file", sample(file), "a path", problems);
        }
        ResolverConfig resolver = new ResolverConfig(
                file == null ? null : file.text,
                dns == null ? null : dns(section.section(DNS)),
                consul ? new SourcePart(problems).consul(section.section(SourcePart.CONSUL)) : null,
                kubernetes ? new SourcePart(problems).kubernetes(section.section(SourcePart.KUBERNETES)) : null,
                keepLast(section),
                section.get(PENDING),
                section.get(PENDING_TIMEOUT));
        section.end();
        return resolver;
    }

    private void judgeChoice(Section section) {
        Node first = null;
        String name = "";
        for (Key key : new Key[] {FILE, DNS, SourcePart.CONSUL, SourcePart.KUBERNETES}) {
            Node given = section.value(key);
            if (given != null && first != null) {
                problems.at(given, key.name + " cannot be combined with " + name);
            } else if (given != null) {
                first = given;
                name = key.name;
            }
        }
        if (first == null) {
            problems.at(section.node, "resolver is empty, expected one of file, dns, consul, kubernetes");
        }
    }

    private long keepLast(Section section) {
        Node given = section.text(KEEP_LAST);
        if (given == null || given.isText(KEEP_LAST.fallbackText())) {
            return Limits.UNLIMITED;
        }
        if (given.isText(Key.OFF)) {
            return 0;
        }
        Key bounds = PENDING_TIMEOUT;
        return given.number(Units.DURATION, KEEP_LAST.name, Limits.UNLIMITED, bounds.min, bounds.max, problems);
    }

    private DnsSource dns(Section section) {
        Node name = section.text(DNS_NAME);
        Node srv = section.text(DNS_SRV);
        if (!section.node.isBroken() && name == null && srv == null) {
            problems.at(section.node, "dns requires name or srv");
        } else if (name != null && srv != null) {
            problems.at(srv, "srv cannot be combined with name");
        }
        if (name != null) {
            host(name);
        }
        if (srv != null) {
            service(srv);
        }
        int port = port(section, name != null);
        long minRefreshNs = section.get(DNS_MIN_REFRESH);
        long maxRefreshNs = section.get(DNS_MAX_REFRESH);
        Node max = section.value(DNS_MAX_REFRESH);
        Node min = section.value(DNS_MIN_REFRESH);
        Node wrong = max != null ? max : min;
        if (wrong != null && maxRefreshNs < minRefreshNs) {
            problems.at(wrong, "max-refresh must not be less than min-refresh");
        }
        Node asked = name != null ? name : srv;
        DnsSource source = new DnsSource(
                asked == null ? "" : asked.text,
                port,
                section.get(DNS_FAMILY),
                servers(section),
                minRefreshNs,
                maxRefreshNs);
        section.end();
        return source;
    }

    private void host(Node name) {
        String text = sample(name);
        if (!Address.isHost(text)) {
            problems.at(name, "name is " + name.quoted() + ", expected a DNS name");
        } else if (Address.isIpV4(text)) {
            problems.at(name, "name is " + name.quoted() + ", expected a DNS name; list addresses in endpoints");
        }
    }

    private String sample(Node name) {
        return byHost ? HostVariable.sample(name.text) : name.text;
    }

    private void service(Node srv) {
        String text = sample(srv);
        int protocol = text.indexOf("._");
        int domain = protocol < 0 ? -1 : text.indexOf('.', protocol + 1);
        if (!text.startsWith("_") || domain < 0 || !Address.isHost(text)) {
            problems.at(srv, "srv is " + srv.quoted() + ", expected a name such as _http._tcp.app.example");
        }
    }

    private int port(Section section, boolean wanted) {
        Node port = section.text(DNS_PORT);
        if (port != null && !wanted) {
            problems.at(port, "port requires name, because SRV records contain ports");
        }
        if (port == null) {
            if (wanted && !section.has(DNS_PORT)) {
                section.missing(DNS_PORT, "the port of the addresses");
            }
            return 0;
        }
        if (byHost && port.isText(HostVariable.PORT)) {
            return DnsSource.PORT_OF_HOST;
        }
        return (int) port.number(Units.NONE, DNS_PORT.name, 1, 1, MAX_PORT, problems);
    }

    private List<Address> servers(Section section) {
        if (!section.has(DNS_SERVERS)) {
            return List.of();
        }
        List<Address> servers = new ArrayList<>();
        for (Node item : section.requiredList(DNS_SERVERS, "a list of at least one IP:PORT")) {
            Address server = AddressText.readLiteral(item, "server", problems);
            if (server != null) {
                servers.add(server);
            }
        }
        return List.copyOf(servers);
    }

    static void show(KeyWriter out, ResolverConfig resolver) {
        out.section(ClusterKeys.RESOLVER);
        out.optional(FILE, resolver.file());
        DnsSource dns = resolver.dns();
        if (dns != null) {
            showDns(out, dns);
        }
        ConsulSource consul = resolver.consul();
        KubernetesSource kubernetes = resolver.kubernetes();
        if (consul != null) {
            SourcePart.show(out, consul);
        } else if (kubernetes != null) {
            SourcePart.show(out, kubernetes);
        }
        out.plain(KEEP_LAST, written(resolver.keepLastNs()));
        out.put(PENDING, resolver.pending());
        out.put(PENDING_TIMEOUT, resolver.pendingTimeoutNs());
    }

    private static void showDns(KeyWriter out, DnsSource dns) {
        out.section(DNS);
        out.text(dns.isService() ? DNS_SRV : DNS_NAME, dns.name());
        if (dns.port() == DnsSource.PORT_OF_HOST) {
            out.text(DNS_PORT, HostVariable.PORT);
        } else if (!dns.isService()) {
            out.number(DNS_PORT, dns.port());
        }
        out.put(DNS_FAMILY, dns.family());
        List<String> servers = new ArrayList<>();
        for (Address server : dns.servers()) {
            servers.add(server.toString());
        }
        if (!servers.isEmpty()) {
            out.list(DNS_SERVERS, servers, "");
        }
        out.put(DNS_MIN_REFRESH, dns.minRefreshNs());
        out.put(DNS_MAX_REFRESH, dns.maxRefreshNs());
    }

    /** Returns the time as the file writes it. */
    private static String written(long keepLastNs) {
        return keepLastNs == Limits.UNLIMITED
                ? KEEP_LAST.fallbackText()
                : keepLastNs == 0 ? Key.OFF : Units.DURATION.format(keepLastNs);
    }
}
