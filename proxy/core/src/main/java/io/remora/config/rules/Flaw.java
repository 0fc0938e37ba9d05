package io.remora.config.rules;

/**
 * One error in a configuration from any source. Immutable.
 *
 * @param path of the part, by the names of the keys, such as {@code listeners[2].tls.crl}; indices begin at 0, and a cluster stands by its name, as in {@code clusters[app].dest}
 * @param message the error, and behind a comma the expectation; one line
 */
public record Flaw(String path, String message) {}
