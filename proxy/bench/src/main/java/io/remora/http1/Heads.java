package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.remora.config.model.HeaderPolicy.Underscores;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http1.oracle.NettyHeads;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A usual head on its way through the sidecar: parsed and judged, given the fields that the sidecar adds, and written
 * into a buffer; beside it the same by Netty's codec, with the scan and the walk over the fields that it needs to be as
 * strict.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Fork(
        value = 2,
        jvmArgsAppend = {"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms64m", "-Xmx64m"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class Heads {
    private static final String REQUEST = "GET /api/v1/orders/4711?expand=items&page=2 HTTP/1.1\r\n"
            + "Host: orders.example.svc.cluster.local:8080\r\n"
            + "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n"
            + "Accept: application/json,text/plain;q=0.9,*/*;q=0.8\r\n"
            + "Accept-Language: en-US,en;q=0.5\r\n"
            + "Accept-Encoding: gzip, deflate, br\r\n"
            + "Authorization: Bearer eyJhbGciOiJSUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI0NzExIn0.c2lnbmF0dXJl\r\n"
            + "Cookie: session=0123456789abcdef0123456789abcdef; theme=dark\r\n"
            + "Referer: https://shop.example/orders\r\n"
            + "Connection: keep-alive\r\n"
            + "Cache-Control: no-cache\r\n"
            + "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n"
            + "X-Tenant: example\r\n"
            + "\r\n";

    private static final String RESPONSE = "HTTP/1.1 200 OK\r\n"
            + "Server: app/1.2.3\r\n"
            + "Date: Sat, 21 Nov 2026 12:00:00 GMT\r\n"
            + "Content-Type: application/json; charset=utf-8\r\n"
            + "Content-Length: 1024\r\n"
            + "Cache-Control: no-store\r\n"
            + "ETag: \"33a64df551425fcc55e4d42a148795d9f25f89d4\"\r\n"
            + "Vary: Accept-Encoding\r\n"
            + "X-Content-Type-Options: nosniff\r\n"
            + "\r\n";

    private static final Octets CLIENT = Octets.of("10.244.1.17");
    private static final Octets SCHEME = Octets.of("http");
    private static final Octets VIA = Octets.of("1.1 remora-k3x9q2");
    private static final Octets ID = Octets.of("01JD6X8Z5M3Q7W9E2R4T6Y8U0P");

    private final ByteBufAllocator allocator = new UnpooledByteBufAllocator(true);
    private final ByteBuf request = buffer(REQUEST);
    private final ByteBuf response = buffer(RESPONSE);
    private final RequestParser requests =
            new RequestParser(SectionRules.ofRequest(8 << 10, 32 << 10, 100, Underscores.PASS), Octets.of("localhost"));
    private final ResponseParser responses = new ResponseParser(SectionRules.ofResponse(64 << 10));
    private final HeadWriter writer = new HeadWriter();
    private final NettyHeads netty = new NettyHeads();

    private static ByteBuf buffer(String text) {
        byte[] octets = text.getBytes(StandardCharsets.ISO_8859_1);
        return new UnpooledByteBufAllocator(true).directBuffer(octets.length).writeBytes(octets);
    }

    @Benchmark
    public int requestParsed() {
        request.readerIndex(0);
        requests.parse(request);
        Fields fields = requests.fields();
        requests.reset();
        return fields.size();
    }

    @Benchmark
    public int requestForwarded() {
        request.readerIndex(0);
        requests.parse(request);
        Fields fields = requests.fields();
        if (fields.contains(FieldName.CONNECTION)) {
            fields.remove(FieldName.CONNECTION);
        }
        fields.add(FieldName.VIA, VIA);
        fields.append(FieldName.X_FORWARDED_FOR, CLIENT);
        fields.append(FieldName.X_FORWARDED_PROTO, SCHEME);
        fields.append(FieldName.X_FORWARDED_HOST, requests.authority());
        fields.add(FieldName.X_REQUEST_ID, ID);
        ByteBuf out = writer.request(allocator, requests.method(), requests.target(), fields, false);
        requests.reset();
        int length = out.readableBytes();
        out.release();
        return length;
    }

    @Benchmark
    public int responseForwarded() {
        response.readerIndex(0);
        responses.parse(response);
        Fields fields = responses.fields();
        fields.add(FieldName.VIA, VIA);
        ByteBuf out = writer.response(allocator, responses.status(), responses.reason(), fields, false, false, 0);
        responses.reset();
        int length = out.readableBytes();
        out.release();
        return length;
    }

    @Benchmark
    public int nettyRequestParsed() {
        return netty.parseRequest(request.readerIndex(0));
    }

    @Benchmark
    public int nettyRequestForwarded() {
        return netty.forwardRequest(request.readerIndex(0));
    }

    @Benchmark
    public int nettyResponseForwarded() {
        return netty.forwardResponse(response.readerIndex(0));
    }
}
