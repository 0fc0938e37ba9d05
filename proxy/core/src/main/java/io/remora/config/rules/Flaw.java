package io.remora.config.rules;

/**
 * One thing that is wrong with a configuration, wherever that came from. Immutable.
 *
 * @param path of the part, by the names of the keys, such as {@code listeners[2].tls.crl}; indices begin at 0
 * @param message what is wrong, and behind a comma what was expected; one line
 */
public record Flaw(String path, String message) {}
