package io.remora.config;

/** The listener that answers {@code /live} and {@code /ready} and nothing else, on any address. */
public record HealthConfig(Address address) {}
