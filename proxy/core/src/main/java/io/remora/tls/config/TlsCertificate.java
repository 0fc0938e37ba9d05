package io.remora.tls.config;

import org.jspecify.annotations.Nullable;

/**
 * A certificate that is shown to peers. Immutable.
 *
 * @param chain PEM, the own certificate first
 * @param key PEM
 * @param passPhrase of the key, the first line of its file; null for none
 */
public record TlsCertificate(
        TlsFile chain, TlsFile key, @Nullable TlsFile passPhrase) {}
