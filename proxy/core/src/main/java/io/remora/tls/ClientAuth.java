package io.remora.tls;

import java.util.List;

/**
 * A listener's demands on its clients' certificates. Immutable.
 *
 * @param required whether a client without a certificate is refused
 * @param trust certificates in DER of whom a client's may come from; one or more
 * @param revoked lists in DER of what is revoked; none where that is not looked at
 */
public record ClientAuth(boolean required, List<byte[]> trust, List<byte[]> revoked) {
    /** Without a look at what is revoked. */
    public ClientAuth(boolean required, List<byte[]> trust) {
        this(required, trust, List.of());
    }
}
