package io.remora.finagle;

import com.twitter.finagle.Filter;
import com.twitter.finagle.Service;
import com.twitter.finagle.ServiceProxy;
import com.twitter.finagle.http.Request;
import com.twitter.finagle.http.Response;
import com.twitter.util.Future;
import com.twitter.util.Local;
import com.twitter.util.Local$;
import io.remora.config.model.PlacedText;
import io.remora.finaglekeys.PluginsConfig;
import io.remora.transport.Loop;
import java.io.IOException;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;

/**
 * Users' filters around each cluster's client. An exception, an answer or a local of a filter stays in the exchange
 * that it was called for.
 *
 * <p>Thread safe as far as the filters are: one of each serves all event loops. Loaded only where the configuration
 * names some.
 */
final class UserFilters implements AutoCloseable {
    private final URLClassLoader loader;
    /** The outermost first. */
    private final List<Filter<Request, Response, Request, Response>> filters = new ArrayList<>();

    private UserFilters(URLClassLoader loader) {
        this.loader = loader;
    }

    /**
     * @throws IOException where one cannot be had; the message names it
     */
    static UserFilters open(PluginsConfig config) throws IOException {
        UserFilters opened =
                new UserFilters(FilterClasses.loader(config.directory().text()));
        try {
            for (PlacedText name : config.filters()) {
                opened.filters.add(FilterClasses.make(opened.loader, name.text()));
            }
        } catch (IOException | RuntimeException e) {
            opened.close();
            throw e;
        }
        return opened;
    }

    Service<Request, Response> around(Service<Request, Response> client, Loop loop) {
        Service<Request, Response> service = new Inner(client, loop);
        for (int i = filters.size() - 1; i >= 0; i--) {
            service = filters.get(i).andThen(service);
        }
        return new Outer(service);
    }

    @Override
    public void close() throws IOException {
        loader.close();
    }

    /** The service in front of the first filter. */
    private static final class Outer extends ServiceProxy<Request, Response> {
        Outer(Service<Request, Response> filtered) {
            super(filtered);
        }

        // a local that a filter leaves in the thread would be the next request's
        @Override
        @SuppressWarnings("CatchingUnchecked") // Scala throws exceptions that it does not declare
        public Future<Response> apply(Request request) {
            Local.Context before = Local$.MODULE$.save();
            try {
                Future<Response> answer = super.apply(request);
                return answer == null ? Future.exception(new IllegalStateException("no future")) : answer;
            } catch (Exception | LinkageError | StackOverflowError e) {
                return Future.exception(e);
            } finally {
                Local$.MODULE$.restore(before);
            }
        }
    }

    /** The service behind the last filter; any thread may call it. */
    private static final class Inner extends ServiceProxy<Request, Response> {
        private final Loop loop;
        private final Service<Request, Response> client;

        Inner(Service<Request, Response> client, Loop loop) {
            super(client);
            this.client = client;
            this.loop = loop;
        }

        @Override
        public Future<Response> apply(Request request) {
            return request instanceof ExchangeRequest own
                    ? OnLoop.call(loop, () -> own.stream().filterCalls().begin(own, client))
                    : Future.exception(new IllegalArgumentException("another request than the filter was given"));
        }
    }
}
