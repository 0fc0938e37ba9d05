package io.remora.config.model;

import io.remora.exchange.AdaptiveConfig;
import io.remora.feature.tracing.TraceExportConfig;
import io.remora.feature.tracing.TracingConfig;
import io.remora.feature.tracing.TrustedParent;
import java.util.List;

/** Compares what tracing and adaptive admission are configured as, in a process that does nothing else. */
final class ComparedConfigs {
    private ComparedConfigs() {}

    private static TracingConfig tracing(int queueBytes) {
        return new TracingConfig(
                List.of(TracingConfig.Propagation.W3C),
                1,
                false,
                TrustedParent.NOBODY,
                "shop",
                new TraceExportConfig(TraceExportConfig.Format.OTLP, "app", "/", "app", queueBytes, 1, 1));
    }

    /** Fails where what is equal is not, or the other way round. */
    public static void main(String[] arguments) {
        AdaptiveConfig adaptive = new AdaptiveConfig(1, 2, 3);
        AdaptiveConfig again = new AdaptiveConfig(1, 2, 3);
        TracingConfig tracing = tracing(1);
        TracingConfig likewise = tracing(1);
        boolean same = tracing.equals(likewise)
                && tracing.hashCode() == likewise.hashCode()
                && adaptive.equals(again)
                && adaptive.hashCode() == again.hashCode();
        boolean others = !tracing.equals(tracing(2)) && !adaptive.equals(new AdaptiveConfig(1, 2, 4));
        if (!same || !others) {
            throw new AssertionError("same " + same + ", others " + others);
        }
    }
}
