package io.remora.config.keys;

/** The keys of a cluster's {@code tls}, in the order of the page. Loaded only where they are configured. */
public final class ClusterTlsKeys {
    /** A PEM file with the certificates from which those of endpoints may come; {@code system} for those that the system trusts. */
    public static final Key TRUST = Key.text(ClusterKeys.TLS, "trust", "path, or system", "system");

    /** As for a listener, of endpoints' certificates. */
    public static final Key CRL = Key.optional(ClusterKeys.TLS, "crl", "path");

    /**
     * The name that endpoints are asked for (SNI), of letters, digits, hyphens and underscores; by default the first DNS name of
     * {@code peer-names}.
     */
    public static final Key SERVER_NAME = Key.optional(ClusterKeys.TLS, "server-name", "DNS name");

    /**
     * Who an endpoint must be: one of these must be in its certificate, a DNS name among the DNS names of the certificate, or
     * a URI such as a SPIFFE ID as its only URI. Common names are not looked at. By default the {@code server-name}.
     */
    public static final Key PEER_NAMES = Key.optional(ClusterKeys.TLS, "peer-names", "list of DNS names and URIs");

    /**
     * {@code true} connects to whoever answers, without a look at the certificate. The log warns of it at the start, and the
     * metric {@code remora_tls_unverified} shows it.
     */
    public static final Choice<Boolean> INSECURE_SKIP_VERIFICATION =
            Key.flag(ClusterKeys.TLS, "insecure-skip-verification", false);

    /** What is shown to endpoints that ask for a certificate. */
    public static final Key CERTIFICATE =
            Key.optional(ClusterKeys.TLS, "certificate", "mapping with `chain` and `key`");

    /** As for a listener. */
    public static final Key CHAIN = Key.required(CERTIFICATE, "chain", "path");

    /** As for a listener. */
    public static final Key KEY = Key.required(CERTIFICATE, "key", "path");

    /** As for a listener. */
    public static final Key PASS_PHRASE_FILE = Key.optional(CERTIFICATE, "pass-phrase-file", "path");

    /** As for a listener. */
    public static final Key MIN_VERSION = Key.text(ClusterKeys.TLS, "min-version", "`1.2` or `1.3`", "1.2");

    /** As for a listener. */
    public static final Key CIPHERS = Key.text(ClusterKeys.TLS, "ciphers", "list of names, or auto", "auto");

    /** As for a listener. */
    public static final Key GROUPS = Key.text(ClusterKeys.TLS, "groups", "list of names, or auto", "auto");

    private ClusterTlsKeys() {}
}
