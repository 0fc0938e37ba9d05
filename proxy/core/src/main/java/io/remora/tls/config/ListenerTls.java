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
     * Accepts TLS only ({@code strict}), or on the same port plain HTTP as well ({@code permissive}), for the time in
     * which clients move to TLS. Nothing protects these plain connections, and nobody proves an identity on them.
     */
    public static final Choice<Mode> MODE = new Choice<>(ListenerKeys.TLS, "mode", Mode.values(), Mode.STRICT);

    /**
     * One certificate or more. A client's SNI chooses the first whose DNS names have it, an exact name before a
     * wildcard. The first of the list is for all others.
     */
    public static final Key CERTIFICATES = Key.required(ListenerKeys.TLS, "certificates", Key.LIST);

    /** A PEM file with the certificate, and after it those that issued it, each followed by its own issuer. */
    public static final Key CHAIN = Key.required(CERTIFICATES, "chain", "path");

    /** A PEM file with the private key: PKCS#8, encrypted or not, PKCS#1 or SEC 1. */
    public static final Key KEY = Key.required(CERTIFICATES, "key", "path");

    /** A file whose first line is the pass phrase of an encrypted key. */
    public static final Key PASS_PHRASE_FILE = Key.optional(CERTIFICATES, "pass-phrase-file", "path");

    /** The oldest version that clients may use. 1.0 and 1.1 are not available (RFC 8996). */
    public static final Key MIN_VERSION = Key.text(ListenerKeys.TLS, "min-version", "`1.2` or `1.3`", "1.2");

    /**
     * Cipher suites of both versions by their IANA names, in order of preference. {@code auto} is all that are known to
     * be safe, the fastest on this machine first.
     */
    public static final Key CIPHERS = Key.text(ListenerKeys.TLS, "ciphers", "list of names, or auto", "auto");

    /**
     * Groups for the key exchange by their IANA names, in order of preference. {@code auto} is x25519, secp256r1 and
     * secp384r1. The JDK has one list for all of a process.
     */
    public static final Key GROUPS = Key.text(ListenerKeys.TLS, "groups", "list of names, or auto", "auto");

    /**
     * Requests a certificate from clients. With {@code optional} one that is shown must be good; with {@code required}
     * a client without one is refused in the handshake.
     */
    public static final Choice<ClientCertificates> CLIENT_CERTIFICATES =
            new Choice<>(ListenerKeys.TLS, "client-certificates", ClientCertificates.values(), ClientCertificates.OFF);

    /**
     * A PEM file with the certificates that may have issued those of clients. Required unless {@code
     * client-certificates} is {@code off}.
     */
    public static final Key TRUST = Key.optional(ListenerKeys.TLS, "trust", "path");

    /**
     * A PEM file with lists of certificates that their authorities have revoked, one or more. A client with one of
     * these is refused in the handshake. So is a client whose certificate comes from an authority with an outdated
     * list.
     */
    public static final Key CRL = Key.optional(ListenerKeys.TLS, "crl", "path");

    /**
     * Time from the accept to the end of the handshake, or with {@code mode: permissive} to the first octets of plain
     * HTTP. Beyond it the connection is closed. A handshake is two round trips.
     */
    public static final ValueKey<Long> HANDSHAKE_TIMEOUT =
            Key.durationNs(ListenerKeys.TLS, "handshake-timeout", 10_000_000_000L);

    /**
     * Handshakes under way at once. A connection beyond it is closed at once, unless another client has more
     * handshakes; then one of those is cut. A handshake is the dearest work that a stranger can cause, and this many
     * take seconds of a processor.
     */
    public static final ValueKey<Integer> HANDSHAKES_IN_FLIGHT =
            Key.count(ListenerKeys.TLS, "handshakes-in-flight", 1, Key.MAX_COUNT, 1_024);

    public static final Option<ListenerTls> TLS = Option.of(NAME);

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
