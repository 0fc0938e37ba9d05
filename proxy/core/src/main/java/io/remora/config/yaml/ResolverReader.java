package io.remora.config.yaml;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.ResolverKeys;
import io.remora.config.keys.SourceKeys;
import io.remora.config.keys.Units;
import io.remora.config.model.Address;
import io.remora.config.model.DnsSource;
import io.remora.config.model.HostTemplate;
import io.remora.config.model.Limits;
import io.remora.config.model.ResolverConfig;
import java.util.ArrayList;
import java.util.List;

/** Reads a cluster's {@code resolver}. Loaded only where one is configured. */
final class ResolverReader {
    private static final int MAX_PORT = 65_535;

    private final Problems problems;
    /** Whether names and the port may be those of the request's host. */
    private final boolean byHost;

    private ResolverReader(Problems problems, boolean byHost) {
        this.problems = problems;
        this.byHost = byHost;
    }

    static ResolverConfig read(Section cluster, Problems problems) {
        Section section = cluster.section(ClusterKeys.RESOLVER);
        Node endpoints = cluster.value(ClusterKeys.ENDPOINTS);
        if (endpoints != null) {
            problems.at(endpoints, "endpoints beside resolver, expected one of the two");
        }
        return new ResolverReader(problems, cluster.has(ClusterKeys.TEMPLATE)).resolver(section);
    }

    private ResolverConfig resolver(Section section) {
        Node file = section.text(ResolverKeys.FILE);
        Node dns = section.value(ResolverKeys.DNS);
        boolean consul = section.has(SourceKeys.CONSUL);
        boolean kubernetes = section.has(SourceKeys.KUBERNETES);
        judgeChoice(section);
        if (file != null) {
            FilePath.judge(file, "file", sample(file), "a path", problems);
        }
        ResolverConfig resolver = new ResolverConfig(
                file == null ? null : file.text,
                dns == null ? null : dns(section.section(ResolverKeys.DNS)),
                consul ? new SourceReader(problems).consul(section.section(SourceKeys.CONSUL)) : null,
                kubernetes ? new SourceReader(problems).kubernetes(section.section(SourceKeys.KUBERNETES)) : null,
                keepLast(section),
                section.get(ResolverKeys.PENDING),
                section.get(ResolverKeys.PENDING_TIMEOUT));
        section.end();
        return resolver;
    }

    private void judgeChoice(Section section) {
        Node first = null;
        String name = "";
        for (Key key : new Key[] {ResolverKeys.FILE, ResolverKeys.DNS, SourceKeys.CONSUL, SourceKeys.KUBERNETES}) {
            Node given = section.value(key);
            if (given != null && first != null) {
                problems.at(given, key.name + " beside " + name + ", expected one of the two");
            } else if (given != null) {
                first = given;
                name = key.name;
            }
        }
        if (first == null) {
            problems.at(section.node, "resolver of nothing, expected one of file, dns, consul, kubernetes");
        }
    }

    private long keepLast(Section section) {
        Node given = section.text(ResolverKeys.KEEP_LAST);
        if (given == null || given.isText(ResolverKeys.KEEP_LAST.fallbackText())) {
            return Limits.UNLIMITED;
        }
        if (given.isText(Key.OFF)) {
            return 0;
        }
        Key bounds = ResolverKeys.PENDING_TIMEOUT;
        return given.number(
                Units.DURATION, ResolverKeys.KEEP_LAST.name, Limits.UNLIMITED, bounds.min, bounds.max, problems);
    }

    private DnsSource dns(Section section) {
        Node name = section.text(ResolverKeys.DNS_NAME);
        Node srv = section.text(ResolverKeys.DNS_SRV);
        if (!section.node.isBroken() && name == null && srv == null) {
            problems.at(section.node, "dns of no name, expected name or srv");
        } else if (name != null && srv != null) {
            problems.at(srv, "srv beside name, expected one of the two");
        }
        if (name != null) {
            host(name);
        }
        if (srv != null) {
            service(srv);
        }
        int port = port(section, name != null);
        long minRefreshNs = section.get(ResolverKeys.DNS_MIN_REFRESH);
        long maxRefreshNs = section.get(ResolverKeys.DNS_MAX_REFRESH);
        Node max = section.value(ResolverKeys.DNS_MAX_REFRESH);
        Node min = section.value(ResolverKeys.DNS_MIN_REFRESH);
        Node wrong = max != null ? max : min;
        if (wrong != null && maxRefreshNs < minRefreshNs) {
            problems.at(wrong, "max-refresh is less than min-refresh, expected at least as much");
        }
        Node asked = name != null ? name : srv;
        DnsSource source = new DnsSource(
                asked == null ? "" : asked.text,
                port,
                section.get(ResolverKeys.DNS_FAMILY),
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
            problems.at(name, "name is " + name.quoted() + ", expected a DNS name; addresses stand in endpoints");
        }
    }

    private String sample(Node name) {
        return byHost ? TemplateReader.sample(name.text) : name.text;
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
        Node port = section.text(ResolverKeys.DNS_PORT);
        if (port != null && !wanted) {
            problems.at(port, "port without name, expected it beside name only; SRV records have their own");
        }
        if (port == null) {
            if (wanted && !section.has(ResolverKeys.DNS_PORT)) {
                section.missing(ResolverKeys.DNS_PORT, "the port of the name's addresses");
            }
            return 0;
        }
        if (byHost && port.isText(HostTemplate.PORT)) {
            return DnsSource.PORT_OF_HOST;
        }
        return (int) port.number(Units.NONE, ResolverKeys.DNS_PORT.name, 1, 1, MAX_PORT, problems);
    }

    private List<Address> servers(Section section) {
        if (!section.has(ResolverKeys.DNS_SERVERS)) {
            return List.of();
        }
        List<Address> servers = new ArrayList<>();
        for (Node item : section.requiredList(ResolverKeys.DNS_SERVERS, "a list of one IP:PORT or more")) {
            Address server = AddressText.readLiteral(item, "server", problems);
            if (server != null) {
                servers.add(server);
            }
        }
        return List.copyOf(servers);
    }
}
