package io.remora.feature.answer;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeatureSection;
import io.remora.feature.Feature;
import io.remora.feature.Keeper;
import io.remora.feature.Slot;
import io.remora.feature.StagePath;

/** Redirects and responses of routes. Immutable. */
public final class Answering implements Feature {
    public static final String REDIRECT = "redirect";
    public static final String RESPOND = "respond";

    @Override
    public Options read(FeatureSection from, Options options) {
        AnswerPart part = new AnswerPart(from);
        return from.key.equals(REDIRECT) ? part.redirect(options) : part.respond(options);
    }

    @Override
    public void add(ListenerConfig listener, Keeper keeper, StagePath path) {
        path.at(Slot.ACT).add(new AnswerRequest(listener.routes()));
    }
}
