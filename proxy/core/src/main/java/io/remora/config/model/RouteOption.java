package io.remora.config.model;

/** A part of a route that a feature owns: its record, which stands under the name of its key. Immutable. */
public interface RouteOption {}
