package io.remora.exchange;

import io.remora.config.model.Limits;
import io.remora.config.model.RouteConfig;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Forwarding;
import io.remora.http.MaxForwards;
import io.remora.http.RequestHead;
import io.remora.http.RequestIds;

/** The stages written out by hand, one directly after the other. */
final class IfChain extends Stage {
    private static final String METHODS = "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS";
    private static final int OK = 200;
    private static final int METHOD_NOT_ALLOWED = 405;

    private final Forwarding forwarding = new Forwarding(BenchSidecar.HEADERS, false);
    private final RequestIds requestIds = BenchSidecar.requestIds();

    @Override
    public boolean pass(StagedRequest exchange) {
        RequestHead head = exchange.head();
        ListenerLoop listener = exchange.listener();
        Limits limits = exchange.snapshot().config().limits();
        if (listener.admission().inFlight() > limits.inFlightExchanges()) {
            exchange.fail(Failure.OVERLOADED);
        } else if (exchange.announcesMoreThan(limits.bodyBytes())) {
            exchange.fail(Failure.BODY_TOO_LARGE);
        } else if (listener.via().isLoop(head)) {
            exchange.fail(Failure.LOOP);
        } else if (!isAnsweredHere(exchange, head)) {
            forward(exchange, head);
        }
        return false;
    }

    private static boolean isAnsweredHere(StagedRequest exchange, RequestHead head) {
        long forwards = MaxForwards.of(head);
        if (forwards == MaxForwards.INVALID) {
            exchange.fail(Failure.BAD_REQUEST);
            return true;
        }
        if (forwards == 0) {
            Fields fields = new Fields();
            fields.add(FieldName.ALLOW, METHODS);
            exchange.respond(head.method.equals("TRACE") ? METHOD_NOT_ALLOWED : OK, fields, null);
            return true;
        }
        if (forwards > 0) {
            MaxForwards.decrement(head, forwards);
        }
        return false;
    }

    private void forward(StagedRequest exchange, RequestHead head) {
        RouteConfig route = exchange.snapshot().router().route(head, RequestHead.endOfPath(head.target), null);
        if (route == null) {
            exchange.fail(Failure.NO_ROUTE);
            return;
        }
        exchange.route(route);
        head.leaveConnection();
        exchange.listener().via().append(head.fields, head.protocol);
        forwarding.apply(head, exchange.peer(), exchange.client(), exchange.scheme());
        exchange.requestId(requestIds.apply(head, BenchSidecar.HEADERS.requestId()));
        exchange.dispatch(exchange.snapshot().cluster(route.cluster()));
    }
}
