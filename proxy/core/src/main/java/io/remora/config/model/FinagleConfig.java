package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * What is for Finagle's engine alone.
 *
 * @param place where the section stands
 * @param dtab the delegations that names go by; null for none
 */
public record FinagleConfig(PlacedText place, @Nullable PlacedText dtab) {}
