package io.remora;

import io.remora.config.HeaderPolicy;
import io.remora.exchange.Stage;
import io.remora.http.RequestIds;
import io.remora.stages.Admit;
import io.remora.stages.BoundBody;
import io.remora.stages.CountHops;
import io.remora.stages.Dispatch;
import io.remora.stages.FindRoute;
import io.remora.stages.GuardLoop;
import io.remora.stages.RewriteFields;

/** What a request passes, in order, each with the reason for its place. */
final class Stages {
    private Stages() {}

    /** For one listener on one event loop. */
    static Stage[] of(HeaderPolicy headers, RequestIds requestIds) {
        return new Stage[] {
            // first: a sidecar that is overloaded must not spend anything on what it will refuse
            new Admit(),
            // before anything is answered: whoever is told 413 must not have the body read
            new BoundBody(),
            // above the count of hops, whose own answer would hide a loop
            new GuardLoop(),
            // above routing: what may travel no further needs no route
            new CountHops(),
            // sees the request as the client sent it, so that routes may match fields which the next stage takes out
            new FindRoute(),
            // below routing, for only what is forwarded needs it; above the attempts, which all send the same fields
            new RewriteFields(headers, requestIds),
            // last: picks, leases and sends
            new Dispatch(),
        };
    }
}
