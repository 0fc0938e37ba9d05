package io.remora.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.DefaultHttp2HeadersEncoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.ReadOnlyHttp2Headers;
import io.netty.util.AsciiString;
import io.remora.http2.hpack.FieldSection;
import io.remora.http2.hpack.HeaderBlock;
import io.remora.http2.hpack.HpackDecoder;
import io.remora.http2.hpack.HpackEncoder;
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
 * Header blocks of a connection that has carried some before: read, where the path, the trace and secrets are literals
 * and the other lines come from the table, and written for a client; and the same by Netty's codec.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@State(Scope.Thread)
@Fork(
        value = 2,
        jvmArgsAppend = {"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms64m", "-Xmx64m"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class Blocks {
    private static final AsciiString[] GRPC = pieces(
            ":method|POST|:scheme|http|:path|/orders.v1.Orders/Get|:authority|orders.example.svc.cluster.local:8080|"
                    + "content-type|application/grpc|user-agent|grpc-go/1.72.0|te|trailers|grpc-timeout|4998763u|"
                    + "traceparent|00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");

    private static final AsciiString[] BROWSER =
            pieces(":method|GET|:scheme|https|:path|/api/v1/orders/4711?expand=items&page=2|:authority|shop.example|"
                    + "user-agent|Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0|"
                    + "accept|application/json,text/plain;q=0.9,*/*;q=0.8|accept-language|en-US,en;q=0.5|"
                    + "accept-encoding|gzip, deflate, br|referer|https://shop.example/orders|"
                    + "cookie|session=0123456789abcdef0123456789abcdef; theme=dark|"
                    + "sec-fetch-mode|cors|sec-fetch-site|same-origin|cache-control|no-cache");

    private static final AsciiString[] RESPONSE = pieces(":status|200|content-type|application/json; charset=utf-8|"
            + "content-length|1024|server|app/1.2.3|date|Sat, 28 Nov 2026 12:00:00 GMT|cache-control|no-store|"
            + "etag|\"33a64df551425fcc55e4d42a148795d9f25f89d4\"|via|1.1 remora-k3x9q2");

    private static final int ROUNDS = 3;
    private static final int LIST_OCTETS = 16 << 10;
    private static final int TABLE_OCTETS = 1_024;
    /** More than the response needs, less than an array that stays. */
    private static final int BLOCK_OCTETS = 1_024;

    private final ByteBuf grpc = buffer();
    private final ByteBuf browser = buffer();
    private final FieldSection section = new FieldSection();
    private final HpackDecoder grpcDecoder = new HpackDecoder(4_096, LIST_OCTETS);
    private final HpackDecoder browserDecoder = new HpackDecoder(4_096, LIST_OCTETS);
    private final DefaultHttp2HeadersDecoder grpcNetty = new DefaultHttp2HeadersDecoder(false, LIST_OCTETS);
    private final DefaultHttp2HeadersDecoder browserNetty = new DefaultHttp2HeadersDecoder(false, LIST_OCTETS);
    private final ByteBuf out = buffer();
    private final HpackEncoder encoder = new HpackEncoder(TABLE_OCTETS);
    private final DefaultHttp2HeadersEncoder nettyEncoder =
            new DefaultHttp2HeadersEncoder((name, value) -> false, true);
    private final Http2Headers response = ReadOnlyHttp2Headers.trailers(false, RESPONSE);

    public Blocks() {
        try {
            prepare(GRPC, grpc, grpcDecoder, grpcNetty);
            prepare(BROWSER, browser, browserDecoder, browserNetty);
            nettyEncoder.maxHeaderTableSize(TABLE_OCTETS);
        } catch (Http2Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private static ByteBuf buffer() {
        return new UnpooledByteBufAllocator(true).directBuffer();
    }

    private static AsciiString[] pieces(String text) {
        return AsciiString.of(text).split('|');
    }

    private static boolean isLiteral(CharSequence name) {
        return AsciiString.contentEquals(name, ":path")
                || AsciiString.contentEquals(name, "traceparent")
                || AsciiString.contentEquals(name, "grpc-timeout")
                || AsciiString.contentEquals(name, "cookie");
    }

    // fills the tables, and leaves a block that adds nothing to them
    private void prepare(AsciiString[] pieces, ByteBuf block, HpackDecoder own, DefaultHttp2HeadersDecoder netty)
            throws Http2Exception {
        DefaultHttp2HeadersEncoder client =
                new DefaultHttp2HeadersEncoder((name, value) -> isLiteral(name), true, 16, 0);
        Http2Headers headers = new DefaultHttp2Headers(false);
        for (int i = 0; i < pieces.length; i += 2) {
            headers.add(pieces[i], pieces[i + 1]);
        }
        for (int i = 0; i < ROUNDS; i++) {
            client.encodeHeaders(1, headers, block.clear());
            own.decode(block, 0, block.writerIndex(), section);
            netty.decodeHeaders(1, block.duplicate());
        }
    }

    private int decode(HpackDecoder decoder, ByteBuf block) {
        if (decoder.decode(block, 0, block.writerIndex(), section) != null) {
            throw new IllegalStateException("refused");
        }
        return section.count();
    }

    @Benchmark
    public int grpcDecoded() {
        return decode(grpcDecoder, grpc);
    }

    @Benchmark
    public int browserDecoded() {
        return decode(browserDecoder, browser);
    }

    @Benchmark
    public int responseEncoded() {
        HeaderBlock block = HeaderBlock.begin(BLOCK_OCTETS);
        encoder.begin(block);
        for (int i = 0; i < RESPONSE.length; i += 2) {
            encoder.line(block, RESPONSE[i], RESPONSE[i + 1], false);
        }
        return block.length();
    }

    @Benchmark
    public int nettyGrpcDecoded() throws Http2Exception {
        return grpcNetty.decodeHeaders(1, grpc.readerIndex(0)).size();
    }

    @Benchmark
    public int nettyBrowserDecoded() throws Http2Exception {
        return browserNetty.decodeHeaders(1, browser.readerIndex(0)).size();
    }

    @Benchmark
    public int nettyResponseEncoded() throws Http2Exception {
        nettyEncoder.encodeHeaders(1, response, out.clear());
        return out.writerIndex();
    }
}
