package io.remora.template;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Names;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.PeerReader;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import io.remora.discovery.DnsSource;
import io.remora.discovery.ResolverConfig;
import io.remora.text.HostVariable;
import io.remora.text.IpAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A cluster's {@code template}: its keys in the order of the page, read, judged and shown. Loaded only where one is configured. */
public final class TemplatePart {
    public static final String NAME = "template";

    /**
     * Hosts for which clusters are created, in any letter case. {@code *.suffix} matches one or more labels before the
     * suffix, and {@code *} matches all names. You can also list IP addresses and networks such as {@code 10.0.0.0/8}.
     * Name patterns do not match addresses. The route does not match other hosts.
     */
    public static final Key HOSTS = Key.required(ClusterKeys.TEMPLATE, "hosts", "list of patterns");

    /**
     * Maximum number of hosts with a cluster. Requests for further hosts get 503 {@code too-many-hosts}. This limits
     * threads, connections and metrics.
     */
    public static final ValueKey<Integer> MAX_HOSTS =
            Key.count(ClusterKeys.TEMPLATE, "max-hosts", 1, Key.MAX_PER_CONNECTION, 100);

    /**
     * Time without requests after which the cluster of a host is removed: its connections drain, and its metrics end.
     * The default is longer than the usual idle time of an active application.
     */
    public static final ValueKey<Long> HOST_TTL = Key.durationNs(ClusterKeys.TEMPLATE, "host-ttl", 300_000_000_000L);

    private final Problems problems;
    private boolean hasAddresses;

    private TemplatePart(Problems problems) {
        this.problems = problems;
    }

    /** Reads a cluster's {@code template}, after its {@code resolver}. */
    public static final class Reader implements FeaturePart {
        @Override
        public Options read(FeatureSection from, Options options) {
            TemplatePart reader = new TemplatePart(from.problems);
            Section section = from.section.section(ClusterKeys.TEMPLATE);
            HostTemplate template = reader.template(section);
            reader.judge(from.section, section, template, options.get(ResolverConfig.RESOLVER));
            return options.with(HostTemplate.TEMPLATE, template);
        }
    }

    private HostTemplate template(Section section) {
        List<String> hosts = new ArrayList<>();
        String expected = "a list of at least one host, such as '*.svc.cluster.local'";
        for (Node node : section.requiredList(HOSTS, expected)) {
            String host = host(node);
            if (host != null) {
                hosts.add(host);
            }
        }
        HostTemplate template = new HostTemplate(List.copyOf(hosts), section.get(MAX_HOSTS), section.get(HOST_TTL));
        section.end();
        return template;
    }

    private @Nullable String host(Node node) {
        if (node.isText("*")) {
            return node.text;
        }
        boolean bracketed = node.text.startsWith("[") && node.text.endsWith("]");
        String text = bracketed ? node.text.substring(1, node.text.length() - 1) : node.text;
        if (text.indexOf('/') < 0 && !new IpAddress().parse(text)) {
            return name(node);
        }
        hasAddresses = true;
        return PeerReader.cidr(bracketed ? Node.text(node.line, node.column, text) : node, problems);
    }

    /** A name or the suffix of names, in the one spelling that hosts are compared in. */
    private @Nullable String name(Node node) {
        String spelled = Names.hostPattern(node, problems);
        if (spelled == null) {
            return null;
        }
        if (IpAddress.endsInNumber(spelled)) {
            problems.at(
                    node, "host " + node.quoted() + ", expected a name or an IP address; names do not end in a number");
            return null;
        }
        return spelled;
    }

    private void judge(Section cluster, Section section, HostTemplate template, @Nullable ResolverConfig resolver) {
        Node endpoints = cluster.value(ClusterKeys.ENDPOINTS);
        if (endpoints != null) {
            problems.at(endpoints, "endpoints cannot be combined with template, expected resolver");
        }
        if (resolver == null) {
            problems.at(section.node, "template requires a resolver with " + HostVariable.HOST);
            return;
        }
        if (resolver.server() != null) {
            problems.at(section.node, "template with resolver " + resolver.kind() + ", expected dns or file");
            return;
        }
        DnsSource dns = resolver.dns();
        String asked = dns != null ? dns.name() : resolver.file();
        Node at = cluster.value(ClusterKeys.RESOLVER);
        if (at != null && asked != null && !asked.isEmpty() && !asked.contains(HostVariable.HOST)) {
            problems.at(
                    at,
                    "resolver of a template without " + HostVariable.HOST
                            + ", expected it, because all hosts would have the same endpoints");
        }
        if (hasAddresses && dns != null && dns.isService()) {
            problems.at(
                    section.node,
                    "hosts with addresses cannot be combined with srv, expected names, or name instead of srv");
        }
        Node ttl = section.value(HOST_TTL);
        if (template.hostTtlNs() < resolver.pendingTimeoutNs()) {
            problems.at(
                    ttl == null ? section.node : ttl, "host-ttl must not be less than pending-timeout of the resolver");
        }
        Node tls = cluster.value(ClusterKeys.TLS);
        if (hasAddresses && tls != null && !tls.isText(Key.OFF)) {
            problems.at(section.node, "hosts with addresses cannot be combined with tls, expected names");
        }
    }

    static void show(KeyWriter out, HostTemplate template) {
        out.section(ClusterKeys.TEMPLATE);
        out.list(HOSTS, template.hosts(), "");
        out.put(MAX_HOSTS, template.maxHosts());
        out.put(HOST_TTL, template.hostTtlNs());
    }
}
