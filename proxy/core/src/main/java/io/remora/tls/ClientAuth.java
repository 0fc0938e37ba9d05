package io.remora.tls;

import java.util.List;

/**
 * A listener's demands on its clients' certificates. Immutable.
 *
 * @param required whether a client without a certificate is refused
 * @param trust certificates in DER of the authorities for clients; one or more
 * @param revoked revocation lists in DER; none where revocation is not checked
 */
public record ClientAuth(boolean required, List<byte[]> trust, List<byte[]> revoked) {
    /** Creates settings without revocation lists. */
    public ClientAuth(boolean required, List<byte[]> trust) {
        this(required, trust, List.of());
    }
}
