package io.remora.feature.fault;

import io.remora.balance.Draw;
import io.remora.config.model.Limits;
import io.remora.config.model.RouteConfig;
import io.remora.exchange.LoopPart;
import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.GrpcStatus;
import io.remora.http.Octets;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Holds a share of the requests of some routes for a while, and answers a share in an endpoint's place.
 *
 * <p>Spec: the fields and what they mean are those of Envoy's fault filter (config.filters.http.fault.v3); for calls of gRPC, gRFC A33.
 */
final class InjectFaults extends Stage {
    private static final FieldName DELAY = FieldName.of("x-envoy-fault-delay-request");
    private static final FieldName DELAY_PERCENT = FieldName.of("x-envoy-fault-delay-request-percentage");
    private static final FieldName ABORT = FieldName.of("x-envoy-fault-abort-request");
    private static final FieldName ABORT_GRPC = FieldName.of("x-envoy-fault-abort-grpc-request");
    private static final FieldName ABORT_PERCENT = FieldName.of("x-envoy-fault-abort-request-percentage");
    private static final String ERROR = "fault";
    private static final String TEXT = "A fault was injected.";
    private static final String PLAIN_TEXT = "text/plain; charset=us-ascii";
    private static final int OK = 200;
    private static final int MOST_STATUS = 599;
    private static final int MOST_GRPC_STATUS = 16;
    private static final int MOST_DELAY_MS = 86_400_000;

    private final IdentityHashMap<RouteConfig, FaultConfig> faults = new IdentityHashMap<>();
    private final Draw draw;

    /**
     * @param seed of the choice
     */
    InjectFaults(List<RouteConfig> routes, long seed) {
        draw = new Draw(seed);
        for (RouteConfig route : routes) {
            FaultConfig fault = route.options().get(FaultConfig.FAULT);
            if (fault != null) {
                faults.put(route, fault);
            }
        }
    }

    @Override
    public boolean pass(StagedRequest exchange) {
        FaultConfig fault = faults.get(exchange.route());
        LoopPart active = exchange.listener().part(FaultKeys.NAME);
        if (fault == null || active == null) {
            return true;
        }
        ActiveFaults counts = (ActiveFaults) active;
        long delayNs = delayNs(fault, exchange.head().fields);
        if (delayNs > 0 && counts.begin(fault.maxActive())) {
            Delay delay = new Delay(exchange, this, fault, counts);
            exchange.join(delay);
            delay.begin(delayNs);
            return false;
        }
        return !aborts(exchange, fault, counts);
    }

    /** Returns the delay of the request, 0 for none. */
    private long delayNs(FaultConfig fault, Fields fields) {
        long asked = fault.headers() ? number(fields, DELAY, 1, MOST_DELAY_MS) : -1;
        long delayNs = asked < 0 ? fault.delayNs() : Math.min(TimeUnit.MILLISECONDS.toNanos(asked), fault.maxDelayNs());
        boolean none = asked < 0 && delayNs == Limits.UNLIMITED;
        return !none && draw.isOneOf(percent(fault, fault.delayPercent(), fields, DELAY_PERCENT)) ? delayNs : 0;
    }

    /** Answers the request where it is to be aborted; returns whether it has. */
    boolean aborts(StagedRequest exchange, FaultConfig fault, ActiveFaults counts) {
        Fields fields = exchange.head().fields;
        int status = abort(fault, fields);
        GrpcStatus grpc = exchange.isGrpcCall() ? grpc(fault, fields, status) : null;
        boolean answers = exchange.isGrpcCall() ? grpc != null : status != 0;
        if (!answers || !draw.isOneOf(percent(fault, fault.abortPercent(), fields, ABORT_PERCENT))) {
            return false;
        }
        counts.aborted();
        Fields own = new Fields();
        own.add(FieldName.REMORA_ERROR, ERROR);
        if (grpc != null) {
            own.add(FieldName.CONTENT_TYPE, GrpcStatus.CONTENT_TYPE);
            own.add(GrpcStatus.STATUS, grpc.code());
            own.add(GrpcStatus.MESSAGE, GrpcStatus.encoded(TEXT));
            exchange.respond(OK, own, null);
            return true;
        }
        boolean empty = status == 204 || status == 205 || status == 304;
        if (!empty) {
            own.add(FieldName.CONTENT_TYPE, PLAIN_TEXT);
        }
        exchange.respond(status, own, empty ? null : TEXT + '\n');
        return true;
    }

    // 0 for none
    private static int abort(FaultConfig fault, Fields fields) {
        int asked = fault.headers() ? number(fields, ABORT, OK, MOST_STATUS) : -1;
        return asked < 0 ? fault.abort() : asked;
    }

    /** The status of an aborted call: what the request asks for wins, and the status of gRPC over that of HTTP. */
    @SuppressWarnings("EnumOrdinal") // the numbers are gRPC's, from 0 on, each in its place
    private static @Nullable GrpcStatus grpc(FaultConfig fault, Fields fields, int status) {
        if (fault.headers()) {
            int asked = number(fields, ABORT_GRPC, 0, MOST_GRPC_STATUS);
            if (asked >= 0) {
                return GrpcStatus.values()[asked];
            }
            if (number(fields, ABORT, OK, MOST_STATUS) >= 0) {
                return ofHttp(status);
            }
        }
        return fault.abortGrpc() != null ? fault.abortGrpc() : status == 0 ? null : ofHttp(status);
    }

    /** The status that a client of gRPC takes a status of HTTP for (gRPC's http-grpc-status-mapping). */
    private static GrpcStatus ofHttp(int status) {
        return switch (status) {
            case 400 -> GrpcStatus.INTERNAL;
            case 401 -> GrpcStatus.UNAUTHENTICATED;
            case 403 -> GrpcStatus.PERMISSION_DENIED;
            case 404 -> GrpcStatus.UNIMPLEMENTED;
            case 429, 502, 503, 504 -> GrpcStatus.UNAVAILABLE;
            default -> GrpcStatus.UNKNOWN;
        };
    }

    /** The share of requests in percent: a request can lower it, and not raise it. */
    private static int percent(FaultConfig fault, int configured, Fields fields, FieldName name) {
        int asked = fault.headers() ? number(fields, name, 0, 100) : -1;
        return asked < 0 ? configured : Math.min(asked, configured);
    }

    /** The number in a field, -1 where there is none within these bounds. */
    private static int number(Fields fields, FieldName name, int least, int most) {
        int at = fields.indexOf(name, 0);
        long number = at < 0 ? -1 : Octets.decimal(fields.array(), fields.valueStart(at), fields.valueEnd(at));
        return number < least || number > most ? -1 : (int) number;
    }
}
