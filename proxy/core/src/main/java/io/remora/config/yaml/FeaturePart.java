package io.remora.config.yaml;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.model.ProxyConfig;
import io.remora.config.rules.Flaw;
import io.remora.config.rules.NamedClusters;
import java.util.List;

/**
 * The configuration of a feature: it reads its key and judges it. A feature without stages is nothing else, and stands in the package
 * that uses what it reads. An interface, because the verifier loads no implementation of one.
 */
public interface FeaturePart {
    /**
     * Reads its key where the file has it, and returns the options with its own. The section's problems are its own to report; what stands
     * between it and other parts of a listener is for the rules below.
     */
    Options read(FeatureSection from, Options options);

    /** Adds what is wrong between it and the other parts of a listener that has it, by the paths of these parts. */
    default void judge(ListenerConfig listener, NamedClusters clusters, String path, List<Flaw> flaws) {}

    /** Adds what is wrong between it, at the top of the file, and other parts, by the paths of these parts. */
    default void judge(ProxyConfig config, NamedClusters clusters, List<Flaw> flaws) {}
}
