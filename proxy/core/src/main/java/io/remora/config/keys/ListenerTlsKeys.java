package io.remora.config.keys;

import io.remora.config.model.ListenerTls.ClientCertificates;
import io.remora.config.model.ListenerTls.Mode;

/** The keys of a listener's {@code tls}, in the order of the page. Loaded only where they are configured. */
public final class ListenerTlsKeys {
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

    private ListenerTlsKeys() {}
}
