package io.remora.config.yaml;

import io.remora.config.keys.Key;
import io.remora.config.keys.SourceKeys;
import io.remora.config.keys.Units;
import io.remora.config.model.Address;
import io.remora.config.model.ClusterTls;
import io.remora.config.model.ConsulSource;
import io.remora.config.model.KubernetesSource;
import io.remora.config.model.SourceServer;
import io.remora.config.model.TlsFile;
import io.remora.config.model.TlsPlaces;
import io.remora.config.model.TlsProtocols;
import io.remora.text.Ascii;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the resolvers that ask over HTTP. Loaded only where one is configured. */
final class SourceReader {
    private static final String API_SERVER = "kubernetes.default.svc";
    private static final int MAX_LABEL_CHARS = 63;
    private static final int MAX_PORT = 65_535;

    private final Problems problems;

    SourceReader(Problems problems) {
        this.problems = problems;
    }

    // ---- Consul

    ConsulSource consul(Section section) {
        Node service = section.requiredText(SourceKeys.CONSUL_SERVICE, "the name of a service");
        List<Address> addresses = addresses(section, SourceKeys.CONSUL_ADDRESS);
        if (!section.has(SourceKeys.CONSUL_ADDRESS)) {
            section.missing(SourceKeys.CONSUL_ADDRESS, "the address of an agent, such as 127.0.0.1:8500");
        }
        ConsulSource consul = new ConsulSource(
                printable(service, "service"),
                optional(section, SourceKeys.CONSUL_DATACENTER),
                optional(section, SourceKeys.CONSUL_TAG),
                section.get(SourceKeys.CONSUL_PASSING_ONLY),
                section.number(SourceKeys.CONSUL_WAIT),
                new SourceServer(
                        addresses,
                        optional(section, SourceKeys.CONSUL_TOKEN_FILE),
                        tls(section, SourceKeys.CONSUL_TLS)));
        judge(section.value(SourceKeys.CONSUL_TOKEN_FILE), consul.server());
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
        Node service = section.requiredText(SourceKeys.KUBERNETES_SERVICE, "the name of a service");
        Node namespace = section.text(SourceKeys.KUBERNETES_NAMESPACE);
        KubernetesSource kubernetes = new KubernetesSource(
                label(service, "service"),
                namespace == null ? null : label(namespace, "namespace"),
                port(section.text(SourceKeys.KUBERNETES_PORT)),
                section.get(SourceKeys.KUBERNETES_FAMILY),
                section.number(SourceKeys.KUBERNETES_WATCH_TIMEOUT),
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
            return Long.toString(port.number(Units.NONE, SourceKeys.KUBERNETES_PORT.name, 1, 1, MAX_PORT, problems));
        }
        return label(port, "port");
    }

    private SourceServer apiServer(Section section) {
        List<Address> addresses = addresses(section, SourceKeys.KUBERNETES_ADDRESS);
        Node given = section.value(SourceKeys.KUBERNETES_TLS);
        boolean off = given != null && given.isText(Key.OFF);
        if (given != null && off && !section.has(SourceKeys.KUBERNETES_ADDRESS)) {
            problems.at(given, "tls is off without address, expected an address beside it");
        }
        Node token = section.text(SourceKeys.KUBERNETES_TOKEN_FILE);
        String file = token == null ? off ? Key.OFF : SourceKeys.KUBERNETES_TOKEN_FILE.fallbackText() : token.text;
        if (token != null) {
            FilePath.judge(token, "token-file", file, "a path, or off", problems);
        }
        SourceServer server = new SourceServer(
                addresses,
                file.equals(Key.OFF) ? null : file,
                given == null ? podTls(section) : tls(section, SourceKeys.KUBERNETES_TLS));
        if (token != null || given != null) {
            judge(token == null ? given : token, server);
        }
        return server;
    }

    private static ClusterTls podTls(Section section) {
        List<String> names = List.of(API_SERVER);
        TlsFile trust = new TlsFile(KubernetesSource.POD + "ca.crt", section.node.line, section.node.column);
        TlsPlaces places = section.places();
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
        return tls == null ? null : new TlsReader(problems).cluster(tls);
    }

    /** None where they are not given. */
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
                        key.name + " " + item.quoted() + " is one of several, expected IP addresses, or one name");
            }
            addresses.add(address == null ? AddressText.NONE : address);
        }
        return List.copyOf(addresses);
    }

    /** A token is as good as a password: nobody but the server may see it. */
    private void judge(@Nullable Node at, SourceServer server) {
        ClusterTls tls = server.tls();
        if (at == null || server.tokenFile() == null || tls != null && tls.verified()) {
            return;
        }
        for (Address address : server.addresses()) {
            if (!address.isLoopback() && !address.equals(AddressText.NONE)) {
                String lack = tls == null ? "without tls" : "beside insecure-skip-verification";
                problems.at(
                        at,
                        "a token for '" + address + "' " + lack
                                + ", expected tls that verifies, or the loopback: it would show the token to others");
                return;
            }
        }
        if (server.addresses().isEmpty() && tls != null) {
            problems.at(at, "a token beside insecure-skip-verification, expected tls that verifies");
        }
    }
}
