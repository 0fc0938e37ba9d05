package io.remora.exchange;

import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeaturePart;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Section;

/** The reader of a listener's {@code admission.adaptive}. Loaded only where it is configured. */
public final class AdaptivePart implements FeaturePart {
    @Override
    public Options read(FeatureSection admission, Options options) {
        Section section = admission.section.sectionOrOff(ListenerKeys.ADAPTIVE);
        if (section == null) {
            return options;
        }
        int most = admission.limits().inFlightExchanges();
        int min = section.get(AdaptiveConfig.MIN);
        int max = (int) section.number(AdaptiveConfig.MAX, most, most);
        if (min > max) {
            Node at = section.node(AdaptiveConfig.MIN);
            String what = AdaptiveConfig.MIN.name + " is " + min;
            admission.problems.at(at, what + ", expected at most the max of " + max);
        }
        AdaptiveConfig adaptive = new AdaptiveConfig(min, max, section.get(AdaptiveConfig.TOLERANCE));
        section.end();
        return options.with(AdaptiveConfig.ADAPTIVE, adaptive);
    }
}
