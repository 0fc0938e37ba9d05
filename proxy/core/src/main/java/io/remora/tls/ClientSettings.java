package io.remora.tls;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The TLS settings for connections to a cluster. Immutable.
 *
 * @param trust certificates in DER of the authorities for endpoints; null where {@code peer} is
 * @param serverName value of the SNI (RFC 6066 3), null for none
 * @param peer names of which the endpoint must have one, by {@link PeerNames#verify} on its own certificate; null where
 *     verification is off, as {@code trust} then is too
 * @param credentials shown where an endpoint asks for them, null for none
 * @param revoked revocation lists in DER; none where revocation is not checked
 */
public record ClientSettings(
        @Nullable List<byte[]> trust,
        @Nullable String serverName,
        @Nullable PeerNames peer,
        @Nullable Credentials credentials,
        TlsParameters protocols,
        List<byte[]> revoked) {
    /** Creates settings without revocation lists. */
    public ClientSettings(
            @Nullable List<byte[]> trust,
            @Nullable String serverName,
            @Nullable PeerNames peer,
            @Nullable Credentials credentials,
            TlsParameters protocols) {
        this(trust, serverName, peer, credentials, protocols, List.of());
    }
}
