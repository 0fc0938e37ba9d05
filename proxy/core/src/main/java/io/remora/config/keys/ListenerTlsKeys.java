package io.remora.config.keys;

import io.remora.config.model.ListenerTls.ClientCertificates;
import io.remora.config.model.ListenerTls.Mode;

/** The keys of a listener's {@code tls}, in the order of the page. Loaded only where they are configured. */
public final class ListenerTlsKeys {
    /**
     * {@code permissive} serves clients that speak plain HTTP as well, on the same port, for the time in which clients move to
     * TLS. Nothing protects these connections, and nobody proves an identity on them.
     */
    public static final Choice<Mode> MODE = new Choice<>(ListenerKeys.TLS, "mode", Mode.values(), Mode.STRICT);

    /**
     * One certificate or more. A client's SNI chooses the first whose DNS names have it, an exact name before a wildcard; the
     * first of the list is for all others.
     */
    public static final Key CERTIFICATES = Key.required(ListenerKeys.TLS, "certificates", Key.LIST);

    /** A PEM file with the certificate, and behind it those that issued it, each followed by its own issuer. */
    public static final Key CHAIN = Key.required(CERTIFICATES, "chain", "path");

    /** A PEM file with the private key: PKCS#8, encrypted or not, PKCS#1 or SEC 1. */
    public static final Key KEY = Key.required(CERTIFICATES, "key", "path");

    /** A file whose first line is the pass phrase of an encrypted key. */
    public static final Key PASS_PHRASE_FILE = Key.optional(CERTIFICATES, "pass-phrase-file", "path");

    /** The oldest version that clients may use. 1.0 and 1.1 are not to be had (RFC 8996). */
    public static final Key MIN_VERSION = Key.text(ListenerKeys.TLS, "min-version", "`1.2` or `1.3`", "1.2");

    /**
     * Cipher suites by IANA's names, in order of preference, of both versions. {@code auto} is all that are known to be safe,
     * the fastest on this machine first.
     */
    public static final Key CIPHERS = Key.text(ListenerKeys.TLS, "ciphers", "list of names, or auto", "auto");

    /**
     * Groups for the key exchange by IANA's names, in order of preference. {@code auto} is x25519, secp256r1 and secp384r1.
     * The JDK has one list for all of a process.
     */
    public static final Key GROUPS = Key.text(ListenerKeys.TLS, "groups", "list of names, or auto", "auto");

    /**
     * Whether clients are asked for a certificate: with {@code optional} one that is shown must be good; with {@code required}
     * a client without one is refused in the handshake.
     */
    public static final Choice<ClientCertificates> CLIENT_CERTIFICATES =
            new Choice<>(ListenerKeys.TLS, "client-certificates", ClientCertificates.values(), ClientCertificates.OFF);

    /** A PEM file with the certificates from which those of clients may come; required where clients are asked. */
    public static final Key TRUST = Key.optional(ListenerKeys.TLS, "trust", "path");

    /**
     * A PEM file with lists of certificates that their authorities have revoked, one or more. Who shows one of these is
     * refused in the handshake; so is whoever was issued by an authority whose list is outdated.
     */
    public static final Key CRL = Key.optional(ListenerKeys.TLS, "crl", "path");

    /**
     * From the accept to the end of the handshake, or with {@code mode: permissive} to the first octets of plain HTTP; beyond it
     * the connection is closed. A handshake is two round trips.
     */
    public static final ValueKey<Long> HANDSHAKE_TIMEOUT =
            Key.durationNs(ListenerKeys.TLS, "handshake-timeout", 10_000_000_000L);

    /**
     * Handshakes under way at once; a connection beyond it is closed at once, unless another client has more of them, of which one
     * is cut then. A handshake is the dearest thing that a stranger can ask for, and this many take seconds of a processor.
     */
    public static final ValueKey<Integer> HANDSHAKES_IN_FLIGHT =
            Key.count(ListenerKeys.TLS, "handshakes-in-flight", 1, Key.MAX_COUNT, 1_024);

    private ListenerTlsKeys() {}
}
