package io.remora.feature.rewrite;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeatureSection;
import io.remora.feature.Feature;
import io.remora.feature.Keeper;
import io.remora.feature.Slot;
import io.remora.feature.StagePath;

/** Rewrites of routes, and their edits of fields. Immutable. */
public final class Rewriting implements Feature {
    public static final String REWRITE = "rewrite";
    public static final String REQUEST_HEADERS = "request-headers";
    public static final String RESPONSE_HEADERS = "response-headers";

    @Override
    public Options read(FeatureSection from, Options options) {
        return from.key.equals(REWRITE) ? RewritePart.read(from, options) : new FieldEditPart(from).read(options);
    }

    @Override
    public void add(ListenerConfig listener, Keeper keeper, StagePath path) {
        path.at(Slot.ACT).add(new RewriteRequest(listener.routes()));
    }
}
