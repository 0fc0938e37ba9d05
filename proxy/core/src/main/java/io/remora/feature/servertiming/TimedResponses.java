package io.remora.feature.servertiming;

import io.remora.config.keys.Key;
import io.remora.config.model.Option;
import io.remora.config.text.ConfigText;
import io.remora.config.text.ShownOption;
import org.jspecify.annotations.Nullable;

/** The option of a listener whose responses say how long they took. */
enum TimedResponses implements ShownOption {
    ON;

    static final Option<TimedResponses> OPTION = Option.of(ServerTiming.NAME);

    @Override
    public void show(ConfigText text, @Nullable Key parent) {
        text.plain(ServerTimingKeys.SERVER_TIMING, "true");
    }
}
