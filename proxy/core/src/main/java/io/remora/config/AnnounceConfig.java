package io.remora.config;

/**
 * Under which name a listener is announced to those who look for it.
 *
 * @param name in the words of the engine that announces it, which judges it as well
 * @param address where others reach the listener; its port is 0 for the one that the listener is bound to
 */
public record AnnounceConfig(PlacedText name, Address address) {}
