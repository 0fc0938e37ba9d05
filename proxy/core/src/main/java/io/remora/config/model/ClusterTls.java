package io.remora.config.model;

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
        TlsPlaces places) {
    /** The ALPN offer where only HTTP/1.1 is spoken. */
    public static final List<String> HTTP1_ONLY = List.of("http/1.1");

    static final List<String> HTTP2_ONLY = List.of("h2");

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
}
