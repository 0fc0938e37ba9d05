package io.remora.config.yaml;

import io.remora.config.keys.AdaptiveKeys;
import io.remora.config.model.AdaptiveConfig;
import io.remora.config.model.Limits;

/** Reads a listener's {@code admission.adaptive}. Loaded only where it is configured. */
final class AdaptiveReader {
    private AdaptiveReader() {}

    static AdaptiveConfig read(Section section, Limits limits, Problems problems) {
        int most = limits.inFlightExchanges();
        int min = section.integer(AdaptiveKeys.MIN);
        int max = (int) section.number(AdaptiveKeys.MAX, most, most);
        if (min > max) {
            Node given = section.value(AdaptiveKeys.MIN);
            Node at = given == null ? section.node : given;
            problems.at(at, AdaptiveKeys.MIN.name + " is " + min + ", expected at most the max of " + max);
        }
        AdaptiveConfig adaptive = new AdaptiveConfig(min, max, section.integer(AdaptiveKeys.TOLERANCE));
        section.end();
        return adaptive;
    }
}
