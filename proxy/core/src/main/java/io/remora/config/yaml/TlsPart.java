package io.remora.config.yaml;

import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.ClusterTlsKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.ListenerTlsKeys;
import io.remora.config.model.Address;
import io.remora.config.model.ClusterTls;
import io.remora.config.model.ListenerTls;
import io.remora.config.model.ListenerTls.ClientCertificates;
import io.remora.config.model.TlsCertificate;
import io.remora.config.model.TlsFile;
import io.remora.config.model.TlsProtocols;
import io.remora.text.HostText;
import io.remora.text.HostVariable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The {@code tls} of listeners, of the admin listener and of clusters, read and shown. The files that it names are not opened here. */
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

    private static final List<String> GROUPS = List.of("x25519", "secp256r1", "secp384r1", "secp521r1");

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
        String expected = "a list of one certificate or more, each with its chain and key";
        for (Node item : section.requiredList(ListenerTlsKeys.CERTIFICATES, expected)) {
            Section certificate = Section.of(item, "certificate", problems);
            certificates.add(certificate(
                    certificate, ListenerTlsKeys.CHAIN, ListenerTlsKeys.KEY, ListenerTlsKeys.PASS_PHRASE_FILE));
        }
        String minVersion = minVersion(section, ListenerTlsKeys.MIN_VERSION);
        ClientCertificates clients = section.get(ListenerTlsKeys.CLIENT_CERTIFICATES);
        ListenerTls tls = new ListenerTls(
                List.copyOf(certificates),
                new TlsProtocols(
                        minVersion,
                        ciphers(section, ListenerTlsKeys.CIPHERS, minVersion),
                        names(section, ListenerTlsKeys.GROUPS, GROUPS),
                        ClusterTls.HTTP1_ONLY),
                clients,
                clientTrust(section, clients),
                section.get(ListenerTlsKeys.HANDSHAKE_TIMEOUT),
                section.get(ListenerTlsKeys.HANDSHAKES_IN_FLIGHT),
                section.get(ListenerTlsKeys.MODE),
                crl(
                        section,
                        ListenerTlsKeys.CRL,
                        clients != ClientCertificates.OFF,
                        "client-certificates: optional or required"),
                section.places());
        section.end();
        return tls;
    }

    /**
     * Reads the TLS of the admin server. Unlike a listener's, it serves nobody without TLS, because any client that
     * reaches these pages can end the process.
     */
    ListenerTls admin(Section section) {
        ListenerTls tls = listener(section);
        Node mode = section.value(ListenerTlsKeys.MODE);
        if (mode != null && tls.mode() == ListenerTls.Mode.PERMISSIVE) {
            problems.at(mode, "mode is 'permissive' for the admin listener, expected strict");
        }
        return tls;
    }

    private @Nullable TlsFile clientTrust(Section section, ClientCertificates clients) {
        Node node = section.text(ListenerTlsKeys.TRUST);
        if (clients == ClientCertificates.OFF) {
            if (node != null) {
                problems.at(node, "trust without a use, expected client-certificates: optional or required as well");
            }
            return null;
        }
        if (node == null && !section.has(ListenerTlsKeys.TRUST)) {
            section.missing(ListenerTlsKeys.TRUST, "the path of a PEM file, as clients are asked for certificates");
        }
        return node == null ? null : file(node, ListenerTlsKeys.TRUST);
    }

    private @Nullable TlsFile crl(Section section, Key key, boolean used, String expected) {
        Node node = section.text(key);
        if (node != null && !used) {
            problems.at(node, "crl without a use, expected " + expected + " as well");
        }
        return node == null ? null : file(node, key);
    }

    public ClusterTls cluster(Section section) {
        Node trust = section.text(ClusterTlsKeys.TRUST);
        String serverName = serverName(section);
        List<String> dns = new ArrayList<>();
        List<String> uris = new ArrayList<>();
        peerNames(section, dns, uris);
        boolean skips = section.get(ClusterTlsKeys.INSECURE_SKIP_VERIFICATION);
        if (skips && trust != null && !trust.isText(SYSTEM)) {
            problems.at(trust, "trust without a use, expected insecure-skip-verification: false as well");
        }
        if (dns.isEmpty() && uris.isEmpty() && !section.has(ClusterTlsKeys.PEER_NAMES)) {
            if (serverName != null) {
                dns.add(serverName);
            } else if (!skips && !section.has(ClusterTlsKeys.SERVER_NAME)) {
                section.missing(ClusterTlsKeys.PEER_NAMES, "the names that endpoints must have, or a server-name");
            }
        }
        String minVersion = minVersion(section, ClusterTlsKeys.MIN_VERSION);
        ClusterTls tls = new ClusterTls(
                trust == null || trust.isText(SYSTEM) ? null : file(trust, ClusterTlsKeys.TRUST),
                serverName == null && !dns.isEmpty() ? dns.get(0) : serverName,
                List.copyOf(dns),
                List.copyOf(uris),
                !skips,
                ownCertificate(section),
                new TlsProtocols(
                        minVersion,
                        ciphers(section, ClusterTlsKeys.CIPHERS, minVersion),
                        names(section, ClusterTlsKeys.GROUPS, GROUPS),
                        ClusterTls.HTTP1_ONLY),
                crl(section, ClusterTlsKeys.CRL, !skips, "insecure-skip-verification: false"),
                section.places());
        section.end();
        return tls;
    }

    private @Nullable TlsCertificate ownCertificate(Section section) {
        if (!section.has(ClusterTlsKeys.CERTIFICATE)) {
            return null;
        }
        Section certificate = section.section(ClusterTlsKeys.CERTIFICATE);
        return certificate(certificate, ClusterTlsKeys.CHAIN, ClusterTlsKeys.KEY, ClusterTlsKeys.PASS_PHRASE_FILE);
    }

    private @Nullable String serverName(Section section) {
        Node node = section.text(ClusterTlsKeys.SERVER_NAME);
        if (node == null) {
            return byHost && !section.has(ClusterTlsKeys.SERVER_NAME) ? HostVariable.HOST : null;
        }
        if (!isDnsName(node.text)) {
            problems.at(node, "server-name is " + node.quoted() + ", expected a DNS name");
            return null;
        }
        return HostText.canonical(node.text);
    }

    private void peerNames(Section section, List<String> dns, List<String> uris) {
        if (!section.has(ClusterTlsKeys.PEER_NAMES)) {
            return;
        }
        for (Node item : section.requiredList(ClusterTlsKeys.PEER_NAMES, "a list of one DNS name or URI or more")) {
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
        for (Node item : section.requiredList(key, "a list of one name or more, or " + key.fallbackText())) {
            if (item.kind != Node.Kind.TEXT || !known.contains(item.text)) {
                problems.at(item, key.name + " has " + item.quoted() + Nearest.hint(item.text, known));
            } else if (names.contains(item.text)) {
                problems.at(item, key.name + " has " + item.quoted() + " a second time, expected each once");
            } else {
                names.add(item.text);
            }
        }
        return List.copyOf(names);
    }

    /** Shows it under a key that need not be the one below which its keys are declared. */
    public static void show(KeyWriter out, Key key, ListenerTls tls) {
        out.begin(key, ListenerKeys.TLS);
        out.put(ListenerTlsKeys.MODE, tls.mode());
        out.section(ListenerTlsKeys.CERTIFICATES);
        for (TlsCertificate certificate : tls.certificates()) {
            out.item(ListenerTlsKeys.CHAIN, certificate.chain().path());
            out.text(ListenerTlsKeys.KEY, certificate.key().path());
            file(out, ListenerTlsKeys.PASS_PHRASE_FILE, certificate.passPhrase());
        }
        out.text(ListenerTlsKeys.MIN_VERSION, tls.protocols().minVersion());
        out.list(ListenerTlsKeys.CIPHERS, tls.protocols().ciphers(), ListenerTlsKeys.CIPHERS.fallbackText());
        out.list(ListenerTlsKeys.GROUPS, tls.protocols().groups(), ListenerTlsKeys.GROUPS.fallbackText());
        out.put(ListenerTlsKeys.CLIENT_CERTIFICATES, tls.clientCertificates());
        file(out, ListenerTlsKeys.TRUST, tls.trust());
        file(out, ListenerTlsKeys.CRL, tls.crl());
        out.put(ListenerTlsKeys.HANDSHAKE_TIMEOUT, tls.handshakeTimeoutNs());
        out.put(ListenerTlsKeys.HANDSHAKES_IN_FLIGHT, tls.maxHandshakes());
        out.end();
    }

    /** Writes the TLS of connections that the sidecar makes, to endpoints or to a source. */
    public static void show(KeyWriter out, Key key, ClusterTls tls) {
        out.begin(key, ClusterKeys.TLS);
        TlsFile trust = tls.trust();
        out.text(ClusterTlsKeys.TRUST, trust == null ? ClusterTlsKeys.TRUST.fallbackText() : trust.path());
        file(out, ClusterTlsKeys.CRL, tls.crl());
        out.optional(ClusterTlsKeys.SERVER_NAME, tls.serverName());
        List<String> names = new ArrayList<>(tls.dnsNames());
        names.addAll(tls.uris());
        if (!names.isEmpty()) {
            out.list(ClusterTlsKeys.PEER_NAMES, names, "");
        }
        out.put(ClusterTlsKeys.INSECURE_SKIP_VERIFICATION, !tls.verified());
        TlsCertificate certificate = tls.certificate();
        if (certificate != null) {
            out.section(ClusterTlsKeys.CERTIFICATE);
            out.text(ClusterTlsKeys.CHAIN, certificate.chain().path());
            out.text(ClusterTlsKeys.KEY, certificate.key().path());
            file(out, ClusterTlsKeys.PASS_PHRASE_FILE, certificate.passPhrase());
        }
        out.text(ClusterTlsKeys.MIN_VERSION, tls.protocols().minVersion());
        out.list(ClusterTlsKeys.CIPHERS, tls.protocols().ciphers(), ClusterTlsKeys.CIPHERS.fallbackText());
        out.list(ClusterTlsKeys.GROUPS, tls.protocols().groups(), ClusterTlsKeys.GROUPS.fallbackText());
        out.end();
    }

    private static void file(KeyWriter out, Key key, @Nullable TlsFile file) {
        if (file != null) {
            out.text(key, file.path());
        }
    }
}
