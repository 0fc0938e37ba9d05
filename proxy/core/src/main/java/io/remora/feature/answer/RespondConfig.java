package io.remora.feature.answer;

import io.remora.config.keys.Key;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.ValueKey;
import io.remora.config.model.Option;
import io.remora.config.text.ConfigText;
import io.remora.config.text.ShownOption;
import org.jspecify.annotations.Nullable;

/**
 * The response of a route that answers instead of an endpoint.
 *
 * @param body of visible ASCII and line ends, empty for none
 * @param contentType of the body
 */
public record RespondConfig(int status, String body, String contentType) implements ShownOption {
    public static final Option<RespondConfig> RESPOND = Option.of(Answering.RESPOND);

    /** Returns a fixed response instead of forwarding the request. */
    public static final Key SECTION = Key.optional(ListenerKeys.ROUTES, Answering.RESPOND, Key.MAPPING);

    /** Status of the response. If the status does not allow a body, it is sent without one. */
    public static final ValueKey<Integer> STATUS = Key.count(SECTION, "status", 200, 599, 200);

    /** Body of the response, up to 4 KiB of ASCII text. Empty by default. */
    public static final Key BODY = Key.optional(SECTION, "body", "text");

    /** Media type of the body. */
    public static final Key CONTENT_TYPE =
            Key.text(SECTION, "content-type", "media type", "text/plain; charset=us-ascii");

    @Override
    public void show(ConfigText text, @Nullable Key parent) {
        text.section(SECTION);
        text.put(STATUS, status);
        text.text(BODY, body);
        text.text(CONTENT_TYPE, contentType);
    }
}
