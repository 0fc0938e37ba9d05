package io.remora.finagle;

import com.twitter.finagle.Dtab;
import com.twitter.finagle.Service;
import com.twitter.finagle.ServiceProxy;
import com.twitter.finagle.http.Request;
import com.twitter.finagle.http.Response;
import com.twitter.util.Future;
import com.twitter.util.Local;
import com.twitter.util.Local$;
import io.remora.http.RequestDtab;
import io.remora.stream.RequestAttributes;

/**
 * Binds each request by delegations. Those of its route win over the configuration's. Those that the request brings win
 * over both, and those that a filter has set win over all.
 *
 * <p>Owner: the event loop.
 */
final class NamedService extends ServiceProxy<Request, Response> {
    private final LoopNames names;

    NamedService(Service<Request, Response> client, LoopNames names) {
        super(client);
        this.names = names;
    }

    private void delegate(FinagleStream stream) throws RequestDtabs.Refused {
        RequestAttributes request = stream.attributes();
        if (request == null) {
            return;
        }
        String dtab = request.dtab();
        if (!dtab.isEmpty()) {
            Dtab.setLimited(names.dtab(dtab));
        }
        RequestDtab asked = request.requestDtab();
        if (asked != null) {
            Dtab.setLocal(RequestDtabs.read(asked).concat(Dtab.local()));
        }
    }

    @Override
    public Future<Response> apply(Request request) {
        Local.Context before = Local$.MODULE$.save();
        try {
            Interpreter.CURRENT.update(names);
            if (request instanceof ExchangeRequest own) {
                delegate(own.stream());
            }
            return super.apply(request);
        } catch (RequestDtabs.Refused e) {
            return Future.exception(e);
        } finally {
            Local$.MODULE$.restore(before);
        }
    }
}
