package io.remora.feature.tracing;

/**
 * Sampler that chooses a share of all traces by their ids. Any two samplers with the same share choose the same traces.
 * Immutable.
 *
 * <p>Spec: OpenTelemetry, probability sampling: the last 56 bits of an id are random, and a trace is chosen where they are not below a
 * threshold.
 */
final class Sampler {
    private static final int BITS = 56;
    private static final long MASK = (1L << BITS) - 1;

    private final long threshold;

    Sampler(int millionths) {
        // exact for all and for none
        double rest = (double) (TracingConfig.EVERY - millionths) / TracingConfig.EVERY;
        threshold = (long) (rest * (1L << BITS));
    }

    boolean takes(long low) {
        return (low & MASK) >= threshold;
    }
}
