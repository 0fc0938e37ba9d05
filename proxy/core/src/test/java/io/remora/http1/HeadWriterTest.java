package io.remora.http1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class HeadWriterTest {
    private static final ByteBufAllocator ALLOCATOR = UnpooledByteBufAllocator.DEFAULT;
    private final HeadWriter writer = new HeadWriter();

    private static String text(ByteBuf octets) {
        String text = octets.toString(StandardCharsets.ISO_8859_1);
        octets.release();
        return text;
    }

    @Test
    void requests() {
        RequestParser parser = new RequestParser(Parsing.REQUEST, Octets.of("a"));
        ByteBuf in = Unpooled.wrappedBuffer(
                Parsing.bytes("GET http://h/a?b HTTP/1.0\r\nHost: h\r\nConnection: close\r\nX:y\r\nX-Z: z\r\n\r\n"));
        assertThat(parser.parse(in)).isEqualTo(Progress.DONE);
        Fields fields = parser.fields();
        fields.remove(FieldName.CONNECTION);
        fields.add(FieldName.VIA, "1.0 me");
        assertThat(text(writer.request(ALLOCATOR, parser.method(), parser.target(), fields, false)))
                .isEqualTo("GET /a?b HTTP/1.1\r\nHost: h\r\nX: y\r\nX-Z: z\r\nVia: 1.0 me\r\n\r\n");
        assertThat(text(writer.request(ALLOCATOR, "POST", Octets.of("*"), new Fields(), true)))
                .isEqualTo("POST * HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n");
    }

    @Test
    void responses() {
        Fields fields = new Fields();
        fields.add(FieldName.CONTENT_TYPE, "a/b");
        assertThat(text(writer.response(ALLOCATOR, 200, Octets.of("OK"), fields, false, false, 0)))
                .isEqualTo("HTTP/1.1 200 OK\r\nContent-Type: a/b\r\n\r\n");
        assertThat(text(writer.response(ALLOCATOR, 599, Octets.of(""), fields, true, true, 0)))
                .isEqualTo("HTTP/1.1 599 \r\nContent-Type: a/b\r\n"
                        + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
    }

    @Test
    void contentFitsBehindAHead() {
        for (int room : new int[] {1, 100, 5_000, 100_000}) {
            ByteBuf head = writer.response(ALLOCATOR, 200, Octets.of("OK"), new Fields(), false, false, room);
            assertThat(head.writableBytes()).isGreaterThanOrEqualTo(room);
            head.writeZero(room);
            assertThat(text(head)).isEqualTo("HTTP/1.1 200 OK\r\n\r\n" + "\0".repeat(room));
        }
    }

    @Test
    void aHeadThatIsNotWrittenYetIsLeftAlone() {
        ByteBuf first = writer.response(ALLOCATOR, 200, Octets.of("OK"), new Fields(), false, false, 0);
        ByteBuf second = writer.response(ALLOCATOR, 404, Octets.of("No"), new Fields(), false, false, 0);
        assertThat(text(first)).isEqualTo("HTTP/1.1 200 OK\r\n\r\n");
        assertThat(text(second)).isEqualTo("HTTP/1.1 404 No\r\n\r\n");
    }

    @Test
    void largeHeads() {
        Fields fields = new Fields();
        String value = "y".repeat(100_000);
        fields.add(FieldName.VIA, value);
        String target = "/" + "x".repeat(3_000);
        for (int i = 0; i < 2; i++) {
            assertThat(text(writer.request(ALLOCATOR, "GET", Octets.of(target), fields, false)))
                    .isEqualTo("GET " + target + " HTTP/1.1\r\nVia: " + value + "\r\n\r\n");
        }
        assertThat(text(writer.request(ALLOCATOR, "GET", Octets.of("/"), new Fields(), false)))
                .isEqualTo("GET / HTTP/1.1\r\n\r\n");
    }

    @Test
    void chunks() {
        for (int length : new int[] {1, 9, 10, 15, 16, 255, 256, 1_024, 1_025, 70_000}) {
            String content = "x".repeat(length);
            ByteBuf octets = Unpooled.wrappedBuffer(Parsing.bytes(content));
            String size = Integer.toHexString(length) + "\r\n";
            assertThat(ChunkWriter.isSmall(octets)).isEqualTo(length <= 1_024);
            assertThat(text(ChunkWriter.start(ALLOCATOR, length))).isEqualTo(size);
            assertThat(text(ChunkWriter.whole(ALLOCATOR, octets))).isEqualTo(size + content + "\r\n");
            assertThat(octets.refCnt()).isZero();
        }
        assertThatThrownBy(() -> ChunkWriter.start(ALLOCATOR, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void endsOfChunks() {
        Fields trailers = new Fields();
        trailers.add(FieldName.of("X-Sum"), "1");
        assertThat(text(ChunkWriter.last(ALLOCATOR, trailers))).isEqualTo("0\r\nX-Sum: 1\r\n\r\n");
        for (int i = 0; i < 2; i++) {
            assertThat(read(ChunkWriter.end())).isEqualTo("\r\n");
            assertThat(read(ChunkWriter.last())).isEqualTo("0\r\n\r\n");
        }
    }

    /** As a channel does: read to its end, and released. */
    private static String read(ByteBuf octets) {
        String text = octets.readCharSequence(octets.readableBytes(), StandardCharsets.ISO_8859_1)
                .toString();
        octets.release();
        return text;
    }
}
