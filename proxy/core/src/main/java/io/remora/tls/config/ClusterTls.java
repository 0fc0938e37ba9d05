package io.remora.tls.config;

import io.remora.config.keys.Choice;
import io.remora.config.keys.ClusterKeys;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.Option;
import io.remora.text.HostVariable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of connections to a cluster's endpoints. Immutable.
 *
 * @param trust issuers of endpoints' certificates; null for those that the system trusts
 * @param serverName in SNI, null for none
 * @param dnsNames of which an endpoint's certificate must have one, or one of {@code uris}; in lower case
 * @param uris exact
 * @param verified whether any of that is verified
 * @param certificate shown to endpoints that ask, null for none
 * @param crl of endpoints' certificates that are revoked; null for no check
 * @param places of its keys
 */
public record ClusterTls(
        @Nullable TlsFile trust,
        @Nullable String serverName,
        List<String> dnsNames,
        List<String> uris,
        boolean verified,
        @Nullable TlsCertificate certificate,
        TlsProtocols protocols,
        @Nullable TlsFile crl,
        TlsPlaces places)
        implements PlacedOption {
    /**
     * PEM file with the CA certificates for endpoint certificates, or {@code system} for the CA certificates of the
     * system.
     */
    public static final Key TRUST = Key.text(ClusterKeys.TLS, "trust", "path, or system", "system");

    /** Certificate revocation lists for endpoint certificates, as in {@code tls.crl} of a listener. */
    public static final Key CRL = Key.optional(ClusterKeys.TLS, "crl", "path");

    /**
     * Server name (SNI) to send to endpoints, with letters, digits, hyphens and underscores. Defaults to the first DNS
     * name in {@code peer-names}.
     */
    public static final Key SERVER_NAME = Key.optional(ClusterKeys.TLS, "server-name", "DNS name");

    /**
     * Accepted names in endpoint certificates. A DNS name must be among the DNS names of the certificate, and a URI
     * such as a SPIFFE ID must be its only URI. Common names are ignored. Defaults to {@code server-name}.
     */
    public static final Key PEER_NAMES = Key.optional(ClusterKeys.TLS, "peer-names", "list of DNS names and URIs");

    /**
     * Disables the verification of endpoint certificates. The sidecar logs a warning at startup and sets the metric
     * {@code remora_tls_unverified}.
     */
    public static final Choice<Boolean> INSECURE_SKIP_VERIFICATION =
            Key.flag(ClusterKeys.TLS, "insecure-skip-verification", false);

    /** Client certificate, for endpoints that request one. */
    public static final Key CERTIFICATE =
            Key.optional(ClusterKeys.TLS, "certificate", "mapping with `chain` and `key`");

    /** Certificate chain, as for a listener. */
    public static final Key CHAIN = Key.required(CERTIFICATE, "chain", "path");

    /** Private key, as for a listener. */
    public static final Key KEY = Key.required(CERTIFICATE, "key", "path");

    /** File with the pass phrase, as for a listener. */
    public static final Key PASS_PHRASE_FILE = Key.optional(CERTIFICATE, "pass-phrase-file", "path");

    /** Minimum TLS version, as for a listener. */
    public static final Key MIN_VERSION = Key.text(ClusterKeys.TLS, "min-version", "`1.2` or `1.3`", "1.2");

    /** Cipher suites, as for a listener. */
    public static final Key CIPHERS = Key.text(ClusterKeys.TLS, "ciphers", "list of names, or auto", "auto");

    /** Key exchange groups, as for a listener. */
    public static final Key GROUPS = Key.text(ClusterKeys.TLS, "groups", "list of names, or auto", "auto");

    public static final Option<ClusterTls> TLS = Option.of("tls");

    /** The TLS of connections to the server of a source. */
    public static final Option<ClusterTls> SOURCE_TLS = Option.of("source-tls");

    /** The ALPN offer where only HTTP/1.1 is spoken. */
    public static final List<String> HTTP1_ONLY = List.of("http/1.1");

    private static final List<String> HTTP2_ONLY = List.of("h2");

    /** Returns the same TLS for requests that are to go on in HTTP/2. */
    public ClusterTls offeringHttp2() {
        return offering(HTTP2_ONLY);
    }

    /** Returns the TLS of connections to one host of a template. */
    public ClusterTls forHost(String host) {
        return new ClusterTls(
                trust,
                serverName == null ? null : HostVariable.filled(serverName, host),
                forHost(dnsNames, host),
                forHost(uris, host),
                verified,
                certificate,
                protocols,
                crl,
                places);
    }

    private static List<String> forHost(List<String> texts, String host) {
        List<String> filled = new ArrayList<>(texts.size());
        for (String text : texts) {
            filled.add(HostVariable.filled(text, host));
        }
        return List.copyOf(filled);
    }

    /** Returns the same TLS with another offer. */
    public ClusterTls offering(List<String> alpn) {
        return new ClusterTls(
                trust, serverName, dnsNames, uris, verified, certificate, protocols.offering(alpn), crl, places);
    }

    @Override
    public void show(KeyWriter out, Key key) {
        out.begin(key, ClusterKeys.TLS);
        out.text(TRUST, trust == null ? TRUST.fallbackText() : trust.path());
        file(out, CRL, crl());
        out.optional(SERVER_NAME, serverName());
        List<String> names = new ArrayList<>(dnsNames);
        names.addAll(uris);
        if (!names.isEmpty()) {
            out.list(PEER_NAMES, names, "");
        }
        out.put(INSECURE_SKIP_VERIFICATION, !verified());
        if (certificate != null) {
            out.section(CERTIFICATE);
            out.text(CHAIN, certificate.chain().path());
            out.text(KEY, certificate.key().path());
            file(out, PASS_PHRASE_FILE, certificate.passPhrase());
        }
        out.text(MIN_VERSION, protocols().minVersion());
        out.list(CIPHERS, protocols().ciphers(), CIPHERS.fallbackText());
        out.list(GROUPS, protocols().groups(), GROUPS.fallbackText());
        out.end();
    }

    private static void file(KeyWriter out, Key key, @Nullable TlsFile file) {
        if (file != null) {
            out.text(key, file.path());
        }
    }
}
