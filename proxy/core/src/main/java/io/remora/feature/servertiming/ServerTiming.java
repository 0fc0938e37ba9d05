package io.remora.feature.servertiming;

import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.yaml.FeatureSection;
import io.remora.exchange.Filter;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.feature.Feature;
import io.remora.feature.Keeper;
import io.remora.feature.Slot;
import io.remora.feature.StagePath;
import io.remora.http.FieldName;
import io.remora.http.ResponseHead;

/**
 * Says in each response how long its request has been in the proxy so far, and how long the backend was waited for.
 *
 * <p>Cost: a filter and a line of the head for each exchange. Spec: W3C Server Timing 3, durations in milliseconds; what the backend
 * says of itself stays before it.
 */
public final class ServerTiming extends Stage implements Feature {
    /** The name of its key. */
    public static final String NAME = "server-timing";

    private static final FieldName FIELD = FieldName.of("Server-Timing");

    @Override
    public Options read(FeatureSection from, Options options) {
        return from.section.get(ServerTimingKeys.SERVER_TIMING)
                ? options.with(TimedResponses.OPTION, TimedResponses.ON)
                : options;
    }

    @Override
    public void add(ListenerConfig listener, Keeper keeper, StagePath path) {
        path.at(Slot.TIME).add(this);
    }

    @Override
    public boolean pass(StagedRequest exchange) {
        exchange.join(new Said(exchange));
        return true;
    }

    private static void appendMs(StringBuilder text, long ns) {
        long us = Math.max(0, ns) / 1_000;
        text.append(us / 1_000).append('.');
        int rest = (int) (us % 1_000);
        text.append((char) ('0' + rest / 100));
        text.append((char) ('0' + rest / 10 % 10));
        text.append((char) ('0' + rest % 10));
    }

    /** Server-Timing field of one exchange. */
    private static final class Said extends Filter {
        private final StagedRequest exchange;

        Said(StagedRequest exchange) {
            this.exchange = exchange;
        }

        @Override
        public void responseHead(ResponseHead head) {
            StringBuilder text = new StringBuilder(48).append("proxy;dur=");
            appendMs(text, exchange.proxyNs());
            if (exchange.attempts() > 0) {
                text.append(", backend;dur=");
                appendMs(text, exchange.backendNs());
            }
            head.fields.add(FIELD, text.toString());
        }
    }
}
