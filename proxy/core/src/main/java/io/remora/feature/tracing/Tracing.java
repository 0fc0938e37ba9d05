package io.remora.feature.tracing;

import io.remora.config.model.Options;
import io.remora.config.model.ProxyConfig;
import io.remora.config.rules.Flaw;
import io.remora.config.rules.NamedClusters;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Section;
import io.remora.feature.Feature;
import java.util.List;

/** Traces of the whole sidecar. Its stage and its exporters belong to a configuration of the data path. Immutable. */
public final class Tracing implements Feature {
    /** The name of its key. */
    public static final String NAME = "tracing";

    @Override
    public Options read(FeatureSection from, Options options) {
        Section section = from.section.sectionOrOff(TracingKeys.TRACING);
        return section == null
                ? options
                : options.with(TracingConfig.TRACING, new TracingReader(from.problems).read(section));
    }

    @Override
    public void judge(ProxyConfig config, NamedClusters clusters, List<Flaw> flaws) {
        TracingConfig tracing = config.options().get(TracingConfig.TRACING);
        if (tracing != null) {
            TracingReader.judge(tracing.export(), clusters, flaws);
        }
    }
}
