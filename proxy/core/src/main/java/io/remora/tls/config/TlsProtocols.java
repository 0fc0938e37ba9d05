package io.remora.tls.config;

import java.util.List;

/**
 * The offer of one side in a handshake of TLS. Immutable.
 *
 * @param minVersion {@code 1.2} or {@code 1.3}
 * @param ciphers by IANA's names, in order of preference; empty for the provider's choice
 * @param groups for the key exchange, by IANA's names; empty for the default
 * @param alpn protocols that are offered (RFC 7301), in order of preference
 */
public record TlsProtocols(String minVersion, List<String> ciphers, List<String> groups, List<String> alpn) {
    /** The offer with other protocols. */
    TlsProtocols offering(List<String> protocols) {
        return new TlsProtocols(minVersion, ciphers, groups, protocols);
    }
}
