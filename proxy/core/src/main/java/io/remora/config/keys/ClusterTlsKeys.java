package io.remora.config.keys;

/** The keys of a cluster's {@code tls}, in the order of the page. Loaded only where they are configured. */
public final class ClusterTlsKeys {
    /**
     * A PEM file with the certificates that may have issued those of endpoints; {@code system} for those that the
     * system trusts.
     */
    public static final Key TRUST = Key.text(ClusterKeys.TLS, "trust", "path, or system", "system");

    /** Revoked certificates of endpoints, as in a listener's {@code tls.crl}. */
    public static final Key CRL = Key.optional(ClusterKeys.TLS, "crl", "path");

    /**
     * The server name that the sidecar sends to endpoints (SNI), of letters, digits, hyphens and underscores; by
     * default the first DNS name of {@code peer-names}.
     */
    public static final Key SERVER_NAME = Key.optional(ClusterKeys.TLS, "server-name", "DNS name");

    /**
     * Names, one of which an endpoint's certificate must have. A DNS name must be among the DNS names of the
     * certificate, and a URI such as a SPIFFE ID must be its only URI. Common names do not count. By default the {@code
     * server-name}.
     */
    public static final Key PEER_NAMES = Key.optional(ClusterKeys.TLS, "peer-names", "list of DNS names and URIs");

    /**
     * Connects to any endpoint without a check of its certificate. The log warns of it at the start, and the metric
     * {@code remora_tls_unverified} shows it.
     */
    public static final Choice<Boolean> INSECURE_SKIP_VERIFICATION =
            Key.flag(ClusterKeys.TLS, "insecure-skip-verification", false);

    /** The sidecar's certificate for endpoints that request one. */
    public static final Key CERTIFICATE =
            Key.optional(ClusterKeys.TLS, "certificate", "mapping with `chain` and `key`");

    /** The certificate chain, as for a listener. */
    public static final Key CHAIN = Key.required(CERTIFICATE, "chain", "path");

    /** The private key, as for a listener. */
    public static final Key KEY = Key.required(CERTIFICATE, "key", "path");

    /** The pass phrase's file, as for a listener. */
    public static final Key PASS_PHRASE_FILE = Key.optional(CERTIFICATE, "pass-phrase-file", "path");

    /** The oldest version, as for a listener. */
    public static final Key MIN_VERSION = Key.text(ClusterKeys.TLS, "min-version", "`1.2` or `1.3`", "1.2");

    /** Cipher suites, as for a listener. */
    public static final Key CIPHERS = Key.text(ClusterKeys.TLS, "ciphers", "list of names, or auto", "auto");

    /** Groups for the key exchange, as for a listener. */
    public static final Key GROUPS = Key.text(ClusterKeys.TLS, "groups", "list of names, or auto", "auto");

    private ClusterTlsKeys() {}
}
