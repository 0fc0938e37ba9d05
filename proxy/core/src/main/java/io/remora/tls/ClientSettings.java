package io.remora.tls;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The TLS settings for connections to a cluster. Immutable.
 *
 * @param trust certificates in DER of whom the endpoints' may come from; null where {@code peer} is
 * @param serverName what the SNI says (RFC 6066 3), null for none
 * @param peer who the endpoint must be, by {@link PeerNames#verify} on its own certificate; null where neither that nor
 *     {@code trust} is looked at, because verification is switched off
 * @param credentials shown where an endpoint asks for them, null for none
 * @param revoked lists in DER of what is revoked; none where that is not looked at
 */
public record ClientSettings(
        @Nullable List<byte[]> trust,
        @Nullable String serverName,
        @Nullable PeerNames peer,
        @Nullable Credentials credentials,
        TlsParameters protocols,
        List<byte[]> revoked) {
    /** Without a look at what is revoked. */
    public ClientSettings(
            @Nullable List<byte[]> trust,
            @Nullable String serverName,
            @Nullable PeerNames peer,
            @Nullable Credentials credentials,
            TlsParameters protocols) {
        this(trust, serverName, peer, credentials, protocols, List.of());
    }
}
