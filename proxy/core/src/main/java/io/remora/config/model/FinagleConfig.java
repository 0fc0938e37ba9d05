package io.remora.config.model;

import org.jspecify.annotations.Nullable;

/**
 * The section for Finagle's engine alone.
 *
 * @param place where the section stands
 * @param dtab the delegations that names follow; null for none
 */
public record FinagleConfig(PlacedText place, @Nullable PlacedText dtab) {}
