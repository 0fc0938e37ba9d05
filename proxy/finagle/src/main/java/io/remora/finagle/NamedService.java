package io.remora.finagle;

import com.twitter.finagle.Dtab;
import com.twitter.finagle.Service;
import com.twitter.finagle.ServiceProxy;
import com.twitter.finagle.http.Request;
import com.twitter.finagle.http.Response;
import com.twitter.util.Future;
import com.twitter.util.Local;
import com.twitter.util.Local$;

/**
 * Has each request bound by the delegations of its route, which win over the configuration's, and by those that a filter has set,
 * which win over both.
 *
 * <p>Owner: the event loop.
 */
final class NamedService extends ServiceProxy<Request, Response> {
    private final LoopNames names;

    NamedService(Service<Request, Response> client, LoopNames names) {
        super(client);
        this.names = names;
    }

    @Override
    public Future<Response> apply(Request request) {
        Local.Context before = Local$.MODULE$.save();
        try {
            Interpreter.CURRENT.update(names);
            String dtab = request instanceof ExchangeRequest own ? own.stream().dtab() : "";
            if (!dtab.isEmpty()) {
                Dtab.setLimited(names.dtab(dtab));
            }
            return super.apply(request);
        } finally {
            Local$.MODULE$.restore(before);
        }
    }
}
