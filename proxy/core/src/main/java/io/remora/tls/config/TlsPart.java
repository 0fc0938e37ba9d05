package io.remora.tls.config;

import io.remora.config.keys.Choice;
import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.OperatorKeys;
import io.remora.config.model.Address;
import io.remora.config.model.ClusterConfig;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.FilePath;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import io.remora.text.HostText;
import io.remora.text.HostVariable;
import io.remora.text.Nearest;
import io.remora.tls.config.ListenerTls.ClientCertificates;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The reader of the {@code tls} of listeners, of the admin listener and of clusters. The files that it names are not opened here. */
public final class TlsPart {
    private static final TlsFile NO_FILE = new TlsFile("", 0, 0);
    private static final String V1_2 = "1.2";
    private static final String V1_3 = "1.3";
    private static final String SYSTEM = "system";
    private static final List<String> CIPHERS_OF_1_3 =
            List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256");

    /** The ciphers of TLS 1.2, all with forward secrecy and authenticated encryption. */
    private static final List<String> CIPHERS_OF_1_2 = List.of(
            "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
            "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
            "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256");

    private static final List<String> GROUPS =
            List.of("X25519MLKEM768", "x25519", "secp256r1", "secp384r1", "secp521r1");

    private final Problems problems;
    /** True if names may be those of the request's host, which is then the default. */
    private final boolean byHost;

    public TlsPart(Problems problems) {
        this(problems, false);
    }

    public TlsPart(Problems problems, boolean byHost) {
        this.problems = problems;
        this.byHost = byHost;
    }

    ListenerTls listener(Section section) {
        List<TlsCertificate> certificates = new ArrayList<>();
        String expected = "a list of at least one certificate, each with its chain and key";
        for (Node item : section.requiredList(ListenerTls.CERTIFICATES, expected)) {
            Section certificate = Section.of(item, "certificate", problems);
            certificates.add(
                    certificate(certificate, ListenerTls.CHAIN, ListenerTls.KEY, ListenerTls.PASS_PHRASE_FILE));
        }
        String minVersion = minVersion(section, ListenerTls.MIN_VERSION);
        ClientCertificates clients = section.get(ListenerTls.CLIENT_CERTIFICATES);
        ListenerTls tls = new ListenerTls(
                List.copyOf(certificates),
                new TlsProtocols(
                        minVersion,
                        ciphers(section, ListenerTls.CIPHERS, minVersion),
                        names(section, ListenerTls.GROUPS, GROUPS),
                        ClusterTls.HTTP1_ONLY),
                clients,
                clientTrust(section, clients),
                section.get(ListenerTls.HANDSHAKE_TIMEOUT),
                section.get(ListenerTls.HANDSHAKES_IN_FLIGHT),
                section.get(ListenerTls.MODE),
                crl(
                        section,
                        ListenerTls.CRL,
                        clients != ClientCertificates.OFF,
                        "client-certificates: optional or required"),
                places(section.node));
        section.end();
        return tls;
    }

    /**
     * Reads the TLS of the admin server. Unlike a listener's, it serves nobody without TLS, because any client that
     * reaches these pages can end the process.
     */
    ListenerTls admin(Section section) {
        ListenerTls tls = listener(section);
        Node mode = section.value(ListenerTls.MODE);
        if (mode != null && tls.mode() == ListenerTls.Mode.PERMISSIVE) {
            problems.at(mode, "mode is 'permissive' for the admin listener, expected strict");
        }
        return tls;
    }

    private @Nullable TlsFile clientTrust(Section section, ClientCertificates clients) {
        Node node = section.text(ListenerTls.TRUST);
        if (clients == ClientCertificates.OFF) {
            if (node != null) {
                problems.at(node, "trust requires client-certificates: optional or required");
            }
            return null;
        }
        if (node == null && !section.has(ListenerTls.TRUST)) {
            section.missing(ListenerTls.TRUST, "the path of a PEM file, because client-certificates is on");
        }
        return node == null ? null : file(node, ListenerTls.TRUST);
    }

    private @Nullable TlsFile crl(Section section, Key key, boolean used, String expected) {
        Node node = section.text(key);
        if (node != null && !used) {
            problems.at(node, "crl requires " + expected);
        }
        return node == null ? null : file(node, key);
    }

    public ClusterTls cluster(Section section) {
        Node trust = section.text(ClusterTls.TRUST);
        String serverName = serverName(section);
        List<String> dns = new ArrayList<>();
        List<String> uris = new ArrayList<>();
        peerNames(section, dns, uris);
        boolean skips = section.get(ClusterTls.INSECURE_SKIP_VERIFICATION);
        if (skips && trust != null && !trust.isText(SYSTEM)) {
            problems.at(trust, "trust requires insecure-skip-verification: false");
        }
        if (dns.isEmpty() && uris.isEmpty() && !section.has(ClusterTls.PEER_NAMES)) {
            if (serverName != null) {
                dns.add(serverName);
            } else if (!skips && !section.has(ClusterTls.SERVER_NAME)) {
                section.missing(ClusterTls.PEER_NAMES, "the names that endpoints must have, or a server-name");
            }
        }
        String minVersion = minVersion(section, ClusterTls.MIN_VERSION);
        ClusterTls tls = new ClusterTls(
                trust == null || trust.isText(SYSTEM) ? null : file(trust, ClusterTls.TRUST),
                serverName == null && !dns.isEmpty() ? dns.get(0) : serverName,
                List.copyOf(dns),
                List.copyOf(uris),
                !skips,
                ownCertificate(section),
                new TlsProtocols(
                        minVersion,
                        ciphers(section, ClusterTls.CIPHERS, minVersion),
                        names(section, ClusterTls.GROUPS, GROUPS),
                        ClusterTls.HTTP1_ONLY),
                crl(section, ClusterTls.CRL, !skips, "insecure-skip-verification: false"),
                places(section.node));
        section.end();
        return tls;
    }

    private @Nullable TlsCertificate ownCertificate(Section section) {
        if (!section.has(ClusterTls.CERTIFICATE)) {
            return null;
        }
        Section certificate = section.section(ClusterTls.CERTIFICATE);
        return certificate(certificate, ClusterTls.CHAIN, ClusterTls.KEY, ClusterTls.PASS_PHRASE_FILE);
    }

    private @Nullable String serverName(Section section) {
        Node node = section.text(ClusterTls.SERVER_NAME);
        if (node == null) {
            return byHost && !section.has(ClusterTls.SERVER_NAME) ? HostVariable.HOST : null;
        }
        if (!isDnsName(node.text)) {
            problems.at(node, "server-name is " + node.quoted() + ", expected a DNS name");
            return null;
        }
        return HostText.canonical(node.text);
    }

    private void peerNames(Section section, List<String> dns, List<String> uris) {
        if (!section.has(ClusterTls.PEER_NAMES)) {
            return;
        }
        for (Node item : section.requiredList(ClusterTls.PEER_NAMES, "a list of at least one DNS name or URI")) {
            if (item.kind == Node.Kind.TEXT && item.text.contains("://")) {
                uris.add(item.text);
            } else if (item.kind == Node.Kind.TEXT && isDnsName(item.text)) {
                dns.add(HostText.canonical(item.text));
            } else {
                problems.at(item, "peer name is " + item.quoted() + ", expected a DNS name without '*', or a URI");
            }
        }
    }

    /** Addresses have no place in SNI (RFC 6066 3), and are no DNS names of a certificate. */
    private boolean isDnsName(String given) {
        String text = byHost ? HostVariable.sample(given) : given;
        // the dot at the end of a name is neither in SNI nor in certificates
        String name = HostText.canonical(text);
        int lastDot = name.lastIndexOf('.');
        boolean endsInDigit = lastDot + 1 < name.length() && Character.isDigit(name.charAt(lastDot + 1));
        return Address.isHost(text) && !endsInDigit && !name.endsWith(".");
    }

    private TlsCertificate certificate(Section section, Key chain, Key key, Key passPhrase) {
        Node chainNode = section.requiredText(chain, "the path of a PEM file");
        Node keyNode = section.requiredText(key, "the path of a PEM file");
        Node phraseNode = section.text(passPhrase);
        section.end();
        return new TlsCertificate(
                chainNode == null ? NO_FILE : file(chainNode, chain),
                keyNode == null ? NO_FILE : file(keyNode, key),
                phraseNode == null ? null : file(phraseNode, passPhrase));
    }

    private TlsFile file(Node node, Key key) {
        FilePath.judge(node, key.name, node.text, "the path of a file", problems);
        return new TlsFile(node.text, node.line, node.column);
    }

    private String minVersion(Section section, Key key) {
        Node node = section.text(key);
        if (node != null && !node.isText(V1_2) && !node.isText(V1_3)) {
            problems.at(node, key.name + " is " + node.quoted() + ", expected one of 1.2, 1.3");
        }
        return node != null && node.isText(V1_3) ? V1_3 : V1_2;
    }

    private List<String> ciphers(Section section, Key key, String minVersion) {
        List<String> known = new ArrayList<>(CIPHERS_OF_1_3);
        known.addAll(CIPHERS_OF_1_2);
        List<String> ciphers = names(section, key, known);
        boolean anyOf1_3 = false;
        for (String cipher : ciphers) {
            anyOf1_3 |= CIPHERS_OF_1_3.contains(cipher);
        }
        Node node = section.value(key);
        if (node != null && !ciphers.isEmpty() && !anyOf1_3 && minVersion.equals(V1_3)) {
            problems.at(node, key.name + " has none of TLS 1.3, expected one with min-version: 1.3");
        }
        return ciphers;
    }

    /** Names out of a set, each once; none where the file leaves the choice to the sidecar. */
    private List<String> names(Section section, Key key, List<String> known) {
        Node node = section.value(key);
        if (node == null || node.isText(key.fallbackText())) {
            return List.of();
        }
        List<String> names = new ArrayList<>();
        for (Node item : section.requiredList(key, "a list of at least one name, or " + key.fallbackText())) {
            if (item.kind != Node.Kind.TEXT || !known.contains(item.text)) {
                problems.at(item, key.name + " has " + item.quoted() + Nearest.hint(item.text, known));
            } else if (names.contains(item.text)) {
                problems.at(item, key.name + " lists " + item.quoted() + " twice");
            } else {
                names.add(item.text);
            }
        }
        return List.copyOf(names);
    }

    /** Returns the places of the keys of a mapping. */
    public static TlsPlaces places(Node mapping) {
        int count = mapping.children.size() / 2;
        String[] keys = new String[count];
        int[] lines = new int[count];
        int[] columns = new int[count];
        for (int i = 0; i < count; i++) {
            Node value = mapping.children.get(2 * i + 1);
            keys[i] = mapping.children.get(2 * i).text;
            lines[i] = value.line;
            columns[i] = value.column;
        }
        return new TlsPlaces(mapping.line, mapping.column, keys, lines, columns);
    }

    /** The feature of listeners. */
    public static final class OfListener implements FeaturePart {
        @Override
        public Options read(FeatureSection listener, Options options) {
            Section section = listener.section.sectionOrOff(ListenerKeys.TLS);
            if (section == null) {
                return options;
            }
            Node protocol = listener.section.value(ListenerKeys.PROTOCOL);
            ListenerTls tls = new TlsPart(listener.problems).listener(section);
            if (protocol == null || protocol.isText(ListenerKeys.PROTOCOL.fallbackText())) {
                return options.with(ListenerTls.TLS, tls);
            }
            boolean tcp = protocol.isText(ListenerKeys.TCP);
            refusePermissive(section, protocol, tcp, listener.problems);
            List<String> alone = tcp ? List.of() : List.of("h2");
            return options.with(
                    ListenerTls.TLS, tls.offering(tcp || protocol.isText("http2") ? alone : List.of("h2", "http/1.1")));
        }

        private static void refusePermissive(Section tls, Node protocol, boolean tcp, Problems problems) {
            Node mode = tls.value(ListenerTls.MODE);
            if (mode == null || !mode.isText(Choice.lower(ListenerTls.Mode.PERMISSIVE))) {
                return;
            }
            if (tcp) {
                problems.at(mode, "mode: permissive is not supported with protocol: tcp, expected strict");
            } else if (protocol.isText("detect")) {
                String why = "mode: permissive is not supported with protocol: detect";
                problems.at(mode, why + ", expected strict");
            }
        }
    }

    /** The feature of the admin listener. */
    public static final class OfAdmin implements FeaturePart {
        public static final String NAME = "admin.tls";

        @Override
        public Options read(FeatureSection admin, Options options) {
            Section section = admin.section.section(OperatorKeys.ADMIN_TLS);
            return options.with(ListenerTls.TLS, new TlsPart(admin.problems).admin(section));
        }
    }

    /** The feature of clusters. */
    public static final class OfCluster implements FeaturePart {
        public static final String NAME = "clusters.tls";

        @Override
        public Options read(FeatureSection cluster, Options options) {
            Section section = cluster.section.section(ClusterKeys.TLS);
            TlsPart part = new TlsPart(cluster.problems, options.has(ClusterConfig.TEMPLATE));
            ClusterTls tls = part.cluster(section);
            if (cluster.tcp) {
                tls = tls.offering(List.of());
            } else if (cluster.isText(ClusterKeys.PROTOCOL.name, "http2")) {
                tls = tls.offeringHttp2();
            } else if (cluster.isText(ClusterKeys.PROTOCOL.name, "auto")) {
                // by which the endpoint chooses; where clients choose, this is for those of HTTP/1
                tls = tls.offering(List.of("h2", "http/1.1"));
            }
            return options.with(ClusterTls.TLS, tls);
        }
    }
}
