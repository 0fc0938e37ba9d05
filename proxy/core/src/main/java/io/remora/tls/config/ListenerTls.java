package io.remora.tls.config;

import io.remora.config.keys.Choice;
import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.PlacedOption;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.ListenerSecurity;
import io.remora.config.model.Option;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The TLS of a listener's connections. Immutable.
 *
 * @param certificates one or more; the first is the default
 * @param trust issuers of clients' certificates; null where clients get no request for one
 * @param maxHandshakes in flight at once
 * @param mode whether clients may do without
 * @param crl of clients' certificates that are revoked; null for no check
 * @param places of its keys
 */
public record ListenerTls(
        List<TlsCertificate> certificates,
        TlsProtocols protocols,
        ClientCertificates clientCertificates,
        @Nullable TlsFile trust,
        long handshakeTimeoutNs,
        int maxHandshakes,
        Mode mode,
        @Nullable TlsFile crl,
        TlsPlaces places)
        implements ListenerSecurity, PlacedOption {
    public static final String NAME = "tls";

    /**
     * {@code strict} accepts TLS only. {@code permissive} accepts plain HTTP on the same port as well, for example
     * while you migrate clients to TLS. Plain connections are neither encrypted nor authenticated.
     */
    public static final Choice<Mode> MODE = new Choice<>(ListenerKeys.TLS, "mode", Mode.values(), Mode.STRICT);

    /**
     * List of certificates, at least one. The SNI of the client selects the first certificate with a matching DNS name;
     * exact names take precedence over wildcards. Other clients receive the first certificate in the list.
     */
    public static final Key CERTIFICATES = Key.required(ListenerKeys.TLS, "certificates", Key.LIST);

    /** PEM file with the certificate, followed by its intermediate certificates in order. */
    public static final Key CHAIN = Key.required(CERTIFICATES, "chain", "path");

    /** PEM file with the private key: PKCS#8 (optionally encrypted), PKCS#1 or SEC 1. */
    public static final Key KEY = Key.required(CERTIFICATES, "key", "path");

    /** File with the pass phrase of an encrypted key in its first line. */
    public static final Key PASS_PHRASE_FILE = Key.optional(CERTIFICATES, "pass-phrase-file", "path");

    /** Minimum TLS version. 1.0 and 1.1 are not supported (RFC 8996). */
    public static final Key MIN_VERSION = Key.text(ListenerKeys.TLS, "min-version", "`1.2` or `1.3`", "1.2");

    /**
     * IANA names of the cipher suites for both versions, in order of preference. {@code auto} means all suites that are
     * considered safe, starting with the fastest on this machine.
     */
    public static final Key CIPHERS = Key.text(ListenerKeys.TLS, "ciphers", "list of names, or auto", "auto");

    /**
     * IANA names of the key exchange groups, in order of preference. {@code auto} means x25519, secp256r1 and
     * secp384r1. AWS-LC also supports X25519MLKEM768, and {@code auto} prefers it. The JDK uses one list for the whole
     * process.
     */
    public static final Key GROUPS = Key.text(ListenerKeys.TLS, "groups", "list of names, or auto", "auto");

    /**
     * Requests a client certificate. {@code optional} validates a certificate if the client sends one. {@code required}
     * rejects the handshake of a client without a certificate.
     */
    public static final Choice<ClientCertificates> CLIENT_CERTIFICATES =
            new Choice<>(ListenerKeys.TLS, "client-certificates", ClientCertificates.values(), ClientCertificates.OFF);

    /**
     * PEM file with the CA certificates for client certificates. Required unless {@code client-certificates} is {@code
     * off}.
     */
    public static final Key TRUST = Key.optional(ListenerKeys.TLS, "trust", "path");

    /**
     * PEM file with one or more certificate revocation lists. Handshakes of clients with a revoked certificate are
     * rejected, as are those of clients whose CA has an outdated list.
     */
    public static final Key CRL = Key.optional(ListenerKeys.TLS, "crl", "path");

    /**
     * Maximum time from accept to the end of the handshake. With {@code mode: permissive}, the time ends at the first
     * bytes of plain HTTP. After that, the connection is closed. A handshake takes two round trips.
     */
    public static final ValueKey<Long> HANDSHAKE_TIMEOUT =
            Key.durationNs(ListenerKeys.TLS, "handshake-timeout", 10_000_000_000L);

    /**
     * Maximum number of concurrent handshakes. If it is reached, the sidecar closes a handshake of a client that has
     * more of them, or otherwise the new connection. A handshake is the most expensive operation that an unknown client
     * can cause, and the default takes several seconds of CPU time.
     */
    public static final ValueKey<Integer> HANDSHAKES_IN_FLIGHT =
            Key.count(ListenerKeys.TLS, "handshakes-in-flight", 1, Key.MAX_COUNT, 1_024);

    public static final Option<ListenerTls> TLS = Option.of(NAME);

    @Override
    public boolean requiresCertificates() {
        return clientCertificates == ClientCertificates.REQUIRED;
    }

    @Override
    public boolean asksForCertificates() {
        return clientCertificates != ClientCertificates.OFF;
    }

    @Override
    public void show(KeyWriter out, Key key) {
        out.begin(key, ListenerKeys.TLS);
        out.put(MODE, mode());
        out.section(CERTIFICATES);
        for (TlsCertificate certificate : certificates()) {
            out.item(CHAIN, certificate.chain().path());
            out.text(KEY, certificate.key().path());
            file(out, PASS_PHRASE_FILE, certificate.passPhrase());
        }
        out.text(MIN_VERSION, protocols().minVersion());
        out.list(CIPHERS, protocols().ciphers(), CIPHERS.fallbackText());
        out.list(GROUPS, protocols().groups(), GROUPS.fallbackText());
        out.put(CLIENT_CERTIFICATES, clientCertificates());
        file(out, TRUST, trust());
        file(out, CRL, crl());
        out.put(HANDSHAKE_TIMEOUT, handshakeTimeoutNs());
        out.put(HANDSHAKES_IN_FLIGHT, maxHandshakes());
        out.end();
    }

    private static void file(KeyWriter out, Key key, @Nullable TlsFile file) {
        if (file != null) {
            out.text(key, file.path());
        }
    }

    /** Returns the same TLS with another offer of protocols. */
    public ListenerTls offering(List<String> alpn) {
        return new ListenerTls(
                certificates,
                protocols.offering(alpn),
                clientCertificates,
                trust,
                handshakeTimeoutNs,
                maxHandshakes,
                mode,
                crl,
                places);
    }

    /** The mode of TLS: whether clients may do without it. */
    public enum Mode {
        /** Clients of plain HTTP are served as well. */
        PERMISSIVE,
        STRICT
    }

    /** The demand for a client's certificate. */
    public enum ClientCertificates {
        /** Clients get no request for a certificate. */
        OFF,
        /** A client's certificate must be good, if it shows one. */
        OPTIONAL,
        /** A client without a certificate is refused in the handshake. */
        REQUIRED
    }
}
