package io.remora.config.text;

import io.remora.config.keys.AdaptiveKeys;
import io.remora.config.model.AdaptiveConfig;

/** Shows a listener's {@code admission.adaptive}, for {@link ConfigText}. Loaded only where it is configured. */
final class ResilienceText {
    private final ConfigText text;

    ResilienceText(ConfigText text) {
        this.text = text;
    }

    void adaptive(AdaptiveConfig adaptive) {
        text.number(AdaptiveKeys.MIN, adaptive.min());
        text.number(AdaptiveKeys.MAX, adaptive.max());
        text.number(AdaptiveKeys.TOLERANCE, adaptive.tolerancePercent());
    }
}
