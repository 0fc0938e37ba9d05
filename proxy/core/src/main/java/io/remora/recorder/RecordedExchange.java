package io.remora.recorder;

import io.remora.config.model.RouteConfig;
import io.remora.exchange.AttemptView;
import io.remora.exchange.Filter;
import io.remora.exchange.RequestView;
import io.remora.http.Failure;
import org.jspecify.annotations.Nullable;

/** The events of one exchange. Owner: the exchange. */
final class RecordedExchange extends Filter {
    private final String listener;
    private final ExchangeEvent event = new ExchangeEvent();
    private @Nullable String endpoint;

    RecordedExchange(String listener) {
        this.listener = listener;
        event.begin();
    }

    @Override
    public void attemptEnded(AttemptView attempt) {
        endpoint = attempt.endpoint();
        String reason = attempt.reason();
        AttemptFailedEvent failed = reason == null ? null : new AttemptFailedEvent();
        if (failed != null && failed.isEnabled()) {
            failed.listener = listener;
            failed.cluster = attempt.clusterName();
            failed.endpoint = endpoint;
            failed.number = attempt.number();
            failed.reason = reason;
            failed.commit();
        }
    }

    @Override
    public void ended(RequestView exchange) {
        event.end();
        if (event.shouldCommit()) {
            RouteConfig route = exchange.route();
            Failure failure = exchange.failure();
            event.listener = listener;
            event.route = route == null ? null : route.name();
            event.method = exchange.head().method;
            event.endpoint = endpoint;
            event.status = exchange.status();
            event.failure = failure == null ? null : failure.label();
            event.attempts = exchange.attempts();
            event.commit();
        }
    }
}
