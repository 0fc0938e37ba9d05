package io.remora.finaglekeys;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.keys.PlacedOption;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Option;
import io.remora.config.model.Placed;
import io.remora.config.model.PlacedText;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The names that the dtabs of trusted requests may delegate to.
 *
 * @param place where the section stands
 * @param allow beginnings of names, one or more
 */
public record RequestDtabConfig(PlacedText place, List<PlacedText> allow) implements PlacedOption, Placed {
    public static final Option<RequestDtabConfig> REQUEST_DTAB = Option.of("request-dtab");

    /** Prefixes of the names that such a dtab can delegate to. */
    public static final Key ALLOW =
            Key.required(ListenerKeys.REQUEST_DTAB, "allow", "list of names, such as `/#/canary`");

    /** Returns the rules of a listener, null where requests have no say in where their cluster's name leads. */
    public static @Nullable RequestDtabConfig of(ListenerConfig listener) {
        return listener.options().get(REQUEST_DTAB);
    }

    /** Returns the allowed names as the configuration writes them. */
    public List<String> allowed() {
        return PlacedText.texts(allow);
    }

    @Override
    public void show(KeyWriter out, Key key) {
        out.section(key);
        out.list(ALLOW, allowed(), "");
    }
}
