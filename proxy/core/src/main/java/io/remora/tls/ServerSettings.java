package io.remora.tls;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The TLS settings for a listener's connections. Immutable.
 *
 * @param credentials one or more: the first whose DNS names match the client's SNI (RFC 6066 3), a name before a
 *     wildcard; the first of all where none does or there is no SNI
 * @param clientAuth null where clients are not asked
 */
public record ServerSettings(
        List<Credentials> credentials,
        TlsParameters protocols,
        @Nullable ClientAuth clientAuth) {}
