package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.remora.config.Address;
import io.remora.config.FrontendTimeouts;
import io.remora.config.HeaderPolicy;
import io.remora.config.HeaderPolicy.ForwardingMode;
import io.remora.config.HeaderPolicy.RequestIdMode;
import io.remora.config.HeaderPolicy.Underscores;
import io.remora.config.Limits;
import io.remora.config.ListenerConfig;
import io.remora.config.RouteConfig;
import io.remora.config.RouteMatch;
import io.remora.engine.Cluster;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Forwarding;
import io.remora.http.MaxForwards;
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
import io.remora.seams.SilentFrontend;
import io.remora.seams.SilentStream;
import io.remora.stages.Admit;
import io.remora.stages.BoundBody;
import io.remora.stages.CountHops;
import io.remora.stages.Dispatch;
import io.remora.stages.FindRoute;
import io.remora.stages.GuardLoop;
import io.remora.stages.RewriteFields;
import io.remora.stream.StreamClient;
import io.remora.stream.Target;
import io.remora.stream.Verdict;
import io.remora.transport.Loops;
import io.remora.transport.NanoClock;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * One exchange through the stages, from its request's head to its report, between a frontend and a backend that only
 * count and release what they are handed; beside it the same exchange with the stages written out as an if-chain.
 *
 * <p>Every exchange needs heads of its own, because it edits them. {@link #heads} measures what making those of a GET
 * costs, which is part of every other figure here and no part of the relay; a POST has two lines more.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(
        value = 2,
        jvmArgsAppend = {"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms64m", "-Xmx64m"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class Relay {
    private static final int BODY_BYTES = 1 << 10;

    private static final HeaderPolicy HEADERS = new HeaderPolicy(
            ForwardingMode.APPEND,
            ForwardingMode.APPEND,
            ForwardingMode.APPEND,
            ForwardingMode.OFF,
            ForwardingMode.SANITIZE,
            RequestIdMode.ULID,
            Underscores.PASS);

    /** The two heads of a GET, without the exchange. */
    @Benchmark
    public int heads(Listed sidecar) {
        return sidecar.get().fields.size() + sidecar.ok().fields.size();
    }

    @Benchmark
    public int get(Listed sidecar) {
        return sidecar.exchange(sidecar.get());
    }

    @Benchmark
    public int getByIfChain(Chained sidecar) {
        return sidecar.exchange(sidecar.get());
    }

    @Benchmark
    public int getWithFilter(Filtered sidecar) {
        return sidecar.exchange(sidecar.get());
    }

    @Benchmark
    public int post(Listed sidecar) {
        return sidecar.exchange(sidecar.post());
    }

    private static RequestIds requestIds() {
        return new RequestIds(System::currentTimeMillis, 1);
    }

    // ---- the stages, in the order of io.remora.Stages

    /** Goes by the list of stages that every sidecar has. */
    @State(Scope.Thread)
    public static class Listed extends Sidecar {
        public Listed() {
            super(
                    new Admit(),
                    new BoundBody(),
                    new GuardLoop(),
                    new CountHops(),
                    new FindRoute(),
                    new RewriteFields(HEADERS, false, requestIds()),
                    new Dispatch());
        }
    }

    /** Goes by the same list, with a stage in it that sees content. */
    @State(Scope.Thread)
    public static class Filtered extends Sidecar {
        public Filtered() {
            super(
                    new Admit(),
                    new BoundBody(),
                    new GuardLoop(),
                    new CountHops(),
                    new FindRoute(),
                    new RewriteFields(HEADERS, false, requestIds()),
                    new CountContent(),
                    new Dispatch());
        }
    }

    /** Does in one stage what the others' lists do. */
    @State(Scope.Thread)
    public static class Chained extends Sidecar {
        public Chained() {
            super(new IfChain());
        }
    }

    /** The stages written out by hand, one directly after the other. */
    private static final class IfChain extends Stage {
        private static final String METHODS = "GET, HEAD, POST, PUT, DELETE, PATCH, OPTIONS";
        private static final int OK = 200;
        private static final int METHOD_NOT_ALLOWED = 405;

        private final Forwarding forwarding = new Forwarding(HEADERS, false);
        private final RequestIds requestIds = requestIds();

        @Override
        public boolean pass(Exchange exchange) {
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

        private static boolean isAnsweredHere(Exchange exchange, RequestHead head) {
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

        private void forward(Exchange exchange, RequestHead head) {
            RouteConfig route = exchange.snapshot().router().route(head, null);
            if (route == null) {
                exchange.fail(Failure.NO_ROUTE);
                return;
            }
            exchange.route(route);
            head.leaveConnection();
            exchange.listener().via().append(head.fields, head.protocol);
            forwarding.apply(head, exchange.peer(), exchange.client(), exchange.scheme());
            exchange.requestId(requestIds.apply(head, HEADERS.requestId()));
            exchange.dispatch(exchange.snapshot().cluster(route.cluster()));
        }
    }

    /** Has every exchange joined by a filter that sees its content and hands it on. */
    private static final class CountContent extends Stage {
        private long bytes;

        @Override
        public boolean pass(Exchange exchange) {
            exchange.join(new Filter() {
                private long seen;

                @Override
                public ByteBuf requestContent(ByteBuf content) {
                    seen += content.readableBytes();
                    return content;
                }

                @Override
                public ByteBuf responseContent(ByteBuf content) {
                    seen += content.readableBytes();
                    return content;
                }

                @Override
                public void ended(Exchange ended) {
                    bytes += seen;
                }
            });
            return true;
        }
    }

    // ---- what stands around the stages

    /** A listener with a route to a cluster, and the two peers of its exchanges. */
    public abstract static class Sidecar {
        private final Head request = new Head("Host: orders.example.svc.cluster.local:8080\r\n"
                + "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n"
                + "Accept: application/json,text/plain;q=0.9,*/*;q=0.8\r\n"
                + "Accept-Encoding: gzip, deflate, br\r\n"
                + "Authorization: Bearer eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI0NzExIn0.c2lnbmF0dXJl\r\n"
                + "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\n"
                + "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n"
                + "X-Tenant: example\r\n");
        private final Head upload = new Head(request.text
                + "Content-Type: application/json; charset=utf-8\r\n"
                + "Content-Length: " + BODY_BYTES + "\r\n");
        private final Head response = new Head("Server: app/1.2.3\r\n"
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
        private final Client client = new Client();
        private final Backend backend = new Backend();
        private final ListenerLoop listener;
        private long exchanges;
        private long uploads;

        Sidecar(Stage... stages) {
            RouteConfig route =
                    new RouteConfig("orders", new RouteMatch(null, null, "/api/v1", null, Map.of()), "orders");
            ListenerConfig config = new ListenerConfig(
                    "bench",
                    new Address("127.0.0.1", 8080),
                    HEADERS,
                    new Limits(10_000, 8 << 10, 32 << 10, 100, 16, 32 << 10, 1_000, Limits.UNLIMITED),
                    new FrontendTimeouts(10_000_000_000L, 30_000_000_000L, 300_000_000_000L, Limits.UNLIMITED),
                    null,
                    null,
                    List.of(),
                    List.of(route));
            listener = new ListenerLoop(
                    loops.all().get(0),
                    new ListenerStats("bench", Failure.labels()),
                    new Admission(),
                    new Via("remora-k3x9q2"),
                    null,
                    requestIds());
            listener.replace(new ListenerSnapshot(
                    1,
                    config,
                    new Router(config.routes()),
                    Map.of("orders", new Endpoints(backend)),
                    Classifier.BY_STATUS,
                    stages));
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

    /** Field lines as a parser has found them, for as many heads as are wanted. */
    private static final class Head {
        /** What a connection's array has left behind the lines, where the sidecar's own go. */
        private static final int SPARE = 512;

        private final String text;
        private final byte[] octets;
        /** Of each line its start, the end of its name and the end of its value. */
        private final int[] places;

        Head(String text) {
            this.text = text;
            this.octets = text.getBytes(StandardCharsets.ISO_8859_1);
            int lines = text.split("\r\n").length;
            this.places = new int[lines * 3];
            int start = 0;
            for (int i = 0; i < places.length; i += 3) {
                places[i] = start;
                places[i + 1] = text.indexOf(':', start);
                places[i + 2] = text.indexOf('\r', start);
                start = places[i + 2] + 2;
            }
        }

        Fields fields() {
            byte[] array = Arrays.copyOf(octets, octets.length + SPARE);
            Fields fields = Fields.received(places.length / 3);
            for (int i = 0; i < places.length; i += 3) {
                fields.received(array, places[i], places[i + 1], places[i + 1] + 2, places[i + 2], true);
            }
            fields.seal(array, octets.length);
            return fields;
        }
    }

    /** A cluster that always has a stream ready. */
    private static final class Endpoints extends Cluster {
        private final Backend only;

        Endpoints(Backend only) {
            this.only = only;
        }

        @Override
        public void newStream(RequestHead head, @Nullable Target tried, StreamClient client) {
            only.serve(client);
        }

        @Override
        public void newStreamAgain(Target target, StreamClient client) {
            throw new IllegalStateException("an attempt has failed");
        }

        @Override
        public boolean hasOther(Target tried) {
            return false;
        }

        @Override
        public boolean repeatsByItself() {
            return false;
        }
    }

    /** An endpoint and its stream, which carries one exchange after the other. */
    private static final class Backend extends SilentStream implements Target {
        private @Nullable StreamClient client;
        private long sent;
        private long bytes;
        private long released;
        private long succeeded;

        Backend() {
            super(true);
        }

        void serve(StreamClient next) {
            client = next;
            next.picked(this);
            next.ready(this);
        }

        void answer(ResponseHead head, ByteBuf content, long readyNs) {
            StreamClient to = client;
            if (to == null) {
                throw new IllegalStateException("no attempt was made");
            }
            to.response(head, readyNs);
            to.content(content);
            to.end(null);
            to.readComplete();
        }

        @Override
        public String name() {
            return "10.244.2.5:8080";
        }

        @Override
        public void ended(Verdict verdict, long latencyNs) {
            if (verdict == Verdict.SUCCESS) {
                succeeded++;
            }
        }

        @Override
        public void send(RequestHead head) {
            sent++;
        }

        @Override
        public void content(ByteBuf content) {
            bytes += content.readableBytes();
            content.release();
        }

        @Override
        public void release() {
            released++;
        }
    }

    /** The client's side of one exchange after the other. */
    private static final class Client extends SilentFrontend {
        private long bytes;
        private long ended;

        @Override
        public void respondContent(ByteBuf content) {
            bytes += content.readableBytes();
            content.release();
        }

        @Override
        public void exchangeDone() {
            ended++;
        }
    }
}
