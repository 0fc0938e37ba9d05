package io.remora.config;

/**
 * How a listener's bound on requests that wait for the backend follows the backend's latency.
 *
 * @param min that the bound never falls below
 * @param max that it never rises above, and from which it starts
 * @param tolerancePercent how much longer than without load responses may take
 */
public record AdaptiveConfig(int min, int max, int tolerancePercent) {}
