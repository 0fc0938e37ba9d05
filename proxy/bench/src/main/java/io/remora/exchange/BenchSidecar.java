package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.remora.config.model.Address;
import io.remora.config.model.FrontendTimeouts;
import io.remora.config.model.HeaderPolicy;
import io.remora.config.model.HeaderPolicy.ForwardingMode;
import io.remora.config.model.HeaderPolicy.RequestIdMode;
import io.remora.config.model.HeaderPolicy.Underscores;
import io.remora.config.model.Limits;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.Options;
import io.remora.config.model.PathConfig;
import io.remora.config.model.RouteConfig;
import io.remora.config.model.RouteMatch;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import io.remora.http.RequestIds;
import io.remora.http.ResponseHead;
import io.remora.http.Via;
import io.remora.memory.MemoryLimit;
import io.remora.memory.MemoryPlan;
import io.remora.memory.MemoryWatch;
import io.remora.metrics.ListenerStats;
import io.remora.metrics.Stats;
import io.remora.route.Router;
import io.remora.transport.Loops;
import io.remora.transport.NanoClock;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.annotations.TearDown;

/** A listener with a route to a cluster, and the two peers of its exchanges. */
public abstract class BenchSidecar {
    static final HeaderPolicy HEADERS = new HeaderPolicy(
            ForwardingMode.APPEND,
            ForwardingMode.APPEND,
            ForwardingMode.APPEND,
            ForwardingMode.OFF,
            ForwardingMode.SANITIZE,
            false,
            RequestIdMode.ULID,
            Underscores.PASS);

    private static final int BODY_BYTES = 1 << 10;

    private final BenchHead request = new BenchHead("Host: orders.example.svc.cluster.local:8080\r\n"
            + "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n"
            + "Accept: application/json,text/plain;q=0.9,*/*;q=0.8\r\n"
            + "Accept-Encoding: gzip, deflate, br\r\n"
            + "Authorization: Bearer eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI0NzExIn0.c2lnbmF0dXJl\r\n"
            + "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\n"
            + "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n"
            + "X-Tenant: example\r\n");
    private final BenchHead upload = new BenchHead(request.text()
            + "Content-Type: application/json; charset=utf-8\r\n"
            + "Content-Length: " + BODY_BYTES + "\r\n");
    private final BenchHead response = new BenchHead("Server: app/1.2.3\r\n"
            + "Date: Sat, 21 Nov 2026 12:00:00 GMT\r\n"
            + "Content-Type: application/json; charset=utf-8\r\n"
            + "Content-Length: " + BODY_BYTES + "\r\n"
            + "Cache-Control: no-store\r\n"
            + "Vary: Accept-Encoding\r\n");
    private final Octets target = Octets.of("/api/v1/orders/4711?expand=items&page=2");
    private final Octets authority = Octets.of("orders.example.svc.cluster.local:8080");
    private final ByteBuf content =
            new UnpooledByteBufAllocator(true).directBuffer(BODY_BYTES).writeZero(BODY_BYTES);

    /** Without a limit, and with the bounds of a profile. */
    private static final MemoryPlan MEMORY =
            MemoryPlan.of(new MemoryLimit(0, "", 0, 8 << 20, 64 << 20, 64 << 20, 0), 1);

    private final Loops loops = new Loops(1, NanoClock.SYSTEM, new Stats(), new MemoryWatch(MEMORY, 1));
    private final BenchClient client = new BenchClient();
    private final BenchBackend backend = new BenchBackend();
    private final ListenerLoop listener;
    private long exchanges;
    private long uploads;

    BenchSidecar(Stage... stages) {
        RouteConfig route = new RouteConfig("orders", new RouteMatch(null, null, "/api/v1", null, Map.of()), "orders");
        ListenerConfig config = new ListenerConfig(
                "bench",
                new Address("127.0.0.1", 8080),
                HEADERS,
                new Limits(10_000, 8 << 10, 32 << 10, 100, 32 << 10, 1_000, Limits.UNLIMITED),
                new FrontendTimeouts(10_000_000_000L, 30_000_000_000L, 300_000_000_000L, Limits.UNLIMITED),
                PathConfig.DEFAULT,
                List.of(route),
                Options.NONE);
        listener = new ListenerLoop(
                loops.all().get(0),
                new ListenerStats("bench", Failure.labels()),
                new Admission(),
                new Via("remora-k3x9q2"),
                null,
                requestIds());
        listener.replace(new ListenerSnapshot(
                1, config, new Router(config.routes()), Map.of("orders", new BenchCluster(backend)), stages));
    }

    static RequestIds requestIds() {
        return new RequestIds(System::currentTimeMillis, 1);
    }

    RequestHead get() {
        return new RequestHead("GET", target, authority, "1.1", request.fields(), BodyLength.NONE);
    }

    RequestHead post() {
        return new RequestHead("POST", target, authority, "1.1", upload.fields(), BODY_BYTES);
    }

    ResponseHead ok() {
        return new ResponseHead(200, null, response.fields(), BODY_BYTES);
    }

    /** Has a request, which comes in one read, answered in another one; the status that the client saw. */
    int exchange(RequestHead head) {
        exchanges++;
        long readyNs = listener.loop().nowNs();
        Exchange exchange = new Exchange(listener, client, head, readyNs, readyNs, 0);
        exchange.start();
        if (head.bodyLength() != BodyLength.NONE) {
            uploads++;
            exchange.requestContent(content.retain());
            exchange.requestEnd(null);
        }
        exchange.flushRequest();
        backend.answer(ok(), content.retain(), listener.loop().nowNs());
        return exchange.status();
    }

    /** Fails the run where an exchange was anything but relayed whole: a failure costs less than a response. */
    @TearDown
    public void check() {
        loops.shutdown().syncUninterruptibly();
        check("exchanges that the client saw end", client.ended, exchanges);
        check("bytes of responses", client.bytes, exchanges * BODY_BYTES);
        check("requests sent", backend.sent, exchanges);
        check("bytes of requests", backend.bytes, uploads * BODY_BYTES);
        check("streams given back", backend.released, exchanges);
        check("attempts that succeeded", backend.succeeded, exchanges);
        check("exchanges in flight", listener.admission().inFlight(), 0);
        check("holders of the content", content.refCnt(), 1);
    }

    private static void check(String what, long actual, long expected) {
        if (actual != expected) {
            throw new IllegalStateException(what + ": " + actual + " instead of " + expected);
        }
    }
}
