package io.remora.tls;

import java.util.List;

/**
 * The protocol parameters of a handshake, in this side's order of preference. Immutable.
 *
 * @param versions of {@code TLSv1.3} and {@code TLSv1.2}, one or both
 * @param cipherSuites by IANA's names, of both versions; no others are offered or taken
 * @param groups for the key exchange, by IANA's names: {@code x25519}, {@code secp256r1}, {@code secp384r1}
 * @param alpn protocols (RFC 7301); empty for none. A server that has some refuses a client that offers only others,
 *     and takes one that offers none
 */
public record TlsParameters(List<String> versions, List<String> cipherSuites, List<String> groups, List<String> alpn) {}
