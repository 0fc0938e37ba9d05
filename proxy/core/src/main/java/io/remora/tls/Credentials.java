package io.remora.tls;

import java.util.List;

/**
 * A certificate with what stands above it, and its key; they belong together, which has been checked. Immutable.
 *
 * @param chain certificates in DER, the own one first; one or more
 * @param key the private key as PKCS#8 in DER, not encrypted
 * @param keyAlgorithm {@code RSA}, {@code EC}, {@code Ed25519} or {@code Ed448}
 * @param dnsNames of the own certificate, in lower case, {@code *.} included: which SNI it answers
 */
public record Credentials(List<byte[]> chain, byte[] key, String keyAlgorithm, List<String> dnsNames) {}
