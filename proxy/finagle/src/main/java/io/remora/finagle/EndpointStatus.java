package io.remora.finagle;

import com.twitter.finagle.Address;
import com.twitter.finagle.ServiceFactory;
import com.twitter.finagle.Stack;
import com.twitter.finagle.Status;
import com.twitter.finagle.client.Transporter;
import com.twitter.finagle.http.Request;
import com.twitter.finagle.http.Response;
import com.twitter.finagle.liveness.FailureAccrualFactory$;
import io.remora.metrics.EndpointView;
import scala.collection.immutable.Seq;

/**
 * Shows operators what Finagle's balancer sees of each endpoint. It stands above the accrual of failures, and takes no
 * part in a request.
 */
final class EndpointStatus extends Stack.ModuleParams<ServiceFactory<Request, Response>> {
    private final EndpointCounts counts;

    EndpointStatus(EndpointCounts counts) {
        this.counts = counts;
    }

    /** Returns the role of the module that it stands above. */
    static Stack.Role below() {
        return FailureAccrualFactory$.MODULE$.role();
    }

    @Override
    public Stack.Role role() {
        return new Stack.Role("EndpointStatus");
    }

    @Override
    public String description() {
        return "tells operators whether an endpoint is in use";
    }

    @Override
    public Seq<Stack.Param<?>> parameters() {
        return ClientStack.NO_PARAMETERS;
    }

    @Override
    public ServiceFactory<Request, Response> make(Stack.Params params, ServiceFactory<Request, Response> endpoint) {
        if (params.apply(Transporter.EndpointAddr$.MODULE$.param()).addr() instanceof Address.Inet inet) {
            EndpointCounts.Entry entry = counts.known(inet.addr());
            if (entry != null) {
                entry.counts.view(() -> known(endpoint, entry));
            }
        }
        return endpoint;
    }

    // since when, and until when, Finagle does not say
    private static EndpointView.Known known(ServiceFactory<Request, Response> endpoint, EndpointCounts.Entry entry) {
        boolean inUse = endpoint.status() instanceof Status.Open$;
        String reason = inUse ? "" : entry.isAvoided() ? "connect" : "accrual";
        return new EndpointView.Known(inUse ? "in-use" : "out", reason, -1, -1, -1);
    }
}
