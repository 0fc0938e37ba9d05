package io.remora.http1;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.Fields;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class BodyReaderTest {
    private final BodyReader fromClient = new BodyReader(Parsing.REQUEST.ofBody());
    private final BodyReader fromEndpoint = new BodyReader(Parsing.RESPONSE.ofBody());
    private BodyReader body = fromClient;

    private static ByteBuf buffer(String octets) {
        return Unpooled.wrappedBuffer(Parsing.bytes(octets));
    }

    private static String text(ByteBuf octets) {
        return octets.toString(StandardCharsets.ISO_8859_1);
    }

    /** Content and the rest, of one read. */
    private String read(String octets) {
        ByteBuf in = buffer(octets);
        StringBuilder content = new StringBuilder();
        for (ByteBuf piece = body.read(in); piece != null; piece = body.read(in)) {
            content.append(text(piece)).append('|');
            if (piece == in) {
                in.skipBytes(in.readableBytes());
            } else {
                piece.release();
            }
        }
        String rest = text(in);
        in.release();
        return content + rest;
    }

    @Test
    void noBody() {
        body.begin(BodyLength.NONE, false, 0);
        assertThat(body.isEnded()).isTrue();
        assertThat(read("next")).isEqualTo("next");
    }

    @Test
    void aBodyOfKnownLength() {
        body.begin(6_000_000_000L, false, 0);
        assertThat(read("abc")).isEqualTo("abc|");
        assertThat(body.isEnded()).isFalse();
        body.begin(5, false, 0);
        assertThat(read("ab")).isEqualTo("ab|");
        assertThat(body.endOfInput()).isFalse();
        assertThat(read("cdeGET")).isEqualTo("cde|GET");
        assertThat(body.isEnded()).isTrue();
        assertThat(body.takeTrailers()).isNull();
    }

    @Test
    void aWholeBufferIsNotSliced() {
        body.begin(3, false, 0);
        ByteBuf in = buffer("abc");
        assertThat(body.read(in)).isSameAs(in);
        assertThat(in.refCnt()).isEqualTo(1);
        assertThat(text(in)).isEqualTo("abc");
        assertThat(body.isEnded()).isTrue();
        in.release();
    }

    @Test
    void aSliceSharesItsBuffer() {
        body.begin(3, false, 0);
        ByteBuf in = buffer("abcd");
        ByteBuf content = body.read(in);
        in.setByte(0, 'x');
        assertThat(text(content)).isEqualTo("xbc");
        assertThat(in.refCnt()).isEqualTo(2);
        content.release();
        in.release();
    }

    @Test
    void aBodyUntilTheEnd() {
        body.begin(BodyLength.UNKNOWN, false, 0);
        assertThat(read("abc")).isEqualTo("abc|");
        assertThat(read("0\r\n\r\n")).isEqualTo("0\r\n\r\n|");
        assertThat(body.isEnded()).isFalse();
        assertThat(body.endOfInput()).isTrue();
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(
            strings = {
                "5",
                "05",
                "5;foo",
                "5;foo=bar",
                "5;foo=\"bar\"",
                "5;a=b;c=d",
                "5 ;x",
                "5;x= y",
                "5\t ; x = \"a;\\\" \"",
                "5;\"",
                "0000005;x"
            })
    void chunks(String line) {
        String octets = line + "\r\nhello\r\nA\r\n0123456789\r\n0;last\r\n\r\nGET";
        body.begin(BodyLength.UNKNOWN, true, 0);
        assertThat(read(octets)).isEqualTo("hello|0123456789|GET");
        assertThat(body.isEnded()).isTrue();
        assertThat(body.takeTrailers()).isNull();
        for (int cut = 0; cut < octets.length(); cut++) {
            body.begin(BodyLength.UNKNOWN, true, 0);
            String content = read(octets.substring(0, cut)) + read(octets.substring(cut));
            assertThat(content.replace("|", "")).as("cut at %d", cut).isEqualTo("hello0123456789GET");
            assertThat(body.isEnded()).isTrue();
        }
    }

    /** Spaces up to the end of the line, of an endpoint's chunk alone. */
    @ParameterizedTest
    @ValueSource(strings = {"5 ", "5\t", "5 \t  ", "0005   "})
    void paddedSizes(String line) {
        String octets = line + "\r\nhello\r\n0  \r\n\r\nGET";
        for (int cut = 0; cut < octets.length(); cut++) {
            body = fromEndpoint;
            body.begin(BodyLength.UNKNOWN, true, 0);
            String content = read(octets.substring(0, cut)) + read(octets.substring(cut));
            assertThat(content.replace("|", "")).as("cut at %d", cut).isEqualTo("helloGET");
            assertThat(body.isEnded()).isTrue();
            body = fromClient;
            body.begin(BodyLength.UNKNOWN, true, 0);
            assertThat(read(octets.substring(0, cut)) + read(octets.substring(cut)))
                    .doesNotContain("|");
            assertThat(body.failure()).isEqualTo(Failure.BAD_REQUEST);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"5 0\r\n", "5 \n", "5 x\r\n", " 5\r\n", "5\u000b\r\n", "5 \r\r\n", " \r\n"})
    void otherSpaces(String line) {
        body = fromEndpoint;
        body.begin(BodyLength.UNKNOWN, true, 0);
        assertThat(read(line + "hello\r\n0\r\n\r\n")).doesNotContain("|");
        assertThat(body.failure()).isEqualTo(Failure.BAD_RESPONSE);
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "-1\r\na\r\n",
                "+1\r\na\r\n",
                "0x1\r\na\r\n",
                " 1\r\na\r\n",
                "1 \r\na\r\n",
                "\t1\r\n",
                "1\u000b\r\n",
                "\r\n",
                "g\r\n",
                "1g\r\n",
                "1,2\r\n",
                "1\0\r\n",
                ";x\r\n",
                "\u00b2\r\n",
                "1\na",
                "1\ra",
                "1\r\nab",
                "1\r\na\n0",
                "1\r\na0",
                "1\r\na\rX",
                "0\n\r\n",
                "0\r\n\n",
                "0 \r\n",
                "-0\r\n",
                "0_0\r\n",
                "80000000\r\n",
                "ffffffff\r\n",
                "100000004\r\n",
                "10000000000000004\r\n",
                "fffffffffffffffff\r\n",
                "2;\nxx\r\n",
                "2;a=\nxx\r\n",
                "1;a=\"\r\n",
                "1;a=\"b\n\"\r\n",
                "1;a=\r\n",
                "1;a=b \r\n",
                "1;a==\r\n",
                "1;a=\"b\\\r\n",
                "1;a\u0080\r\n",
                "1;a=\"\u0080\"\r\n",
                "1;\0\r\n",
                "1;(\r\n",
                "1 2;x\r\n",
                "1;a=\"b\"c\r\n"
            })
    void brokenChunks(String octets) {
        body.begin(BodyLength.UNKNOWN, true, 0);
        read(octets);
        assertThat(body.failure()).isEqualTo(Failure.BAD_REQUEST);
        assertThat(body.isEnded()).isFalse();
        body.begin(BodyLength.UNKNOWN, true, 0);
        for (char octet : octets.toCharArray()) {
            read(String.valueOf(octet));
        }
        assertThat(body.failure()).as("octet by octet").isEqualTo(Failure.BAD_REQUEST);
        assertThat(body.endOfInput()).isFalse();
    }

    @Test
    void theLargestChunk() {
        body.begin(BodyLength.UNKNOWN, true, 0);
        assertThat(read("7fffffff\r\nab")).isEqualTo("ab|");
        assertThat(body.failure()).isNull();
    }

    @Test
    void chunkLinesAreLimited() {
        String most = "5;" + "x".repeat(Parsing.LINE_OCTETS - 2);
        body.begin(BodyLength.UNKNOWN, true, 0);
        assertThat(read(most + "\r\nhello\r\n" + most + "\r\nhello")).isEqualTo("hello|hello|");
        for (String line : new String[] {most + "x", "0".repeat(Parsing.LINE_OCTETS + 1), "5;a=\"" + most}) {
            body.begin(BodyLength.UNKNOWN, true, 0);
            read(line);
            assertThat(body.failure()).isEqualTo(Failure.BAD_REQUEST);
        }
    }

    @Test
    void trailers() {
        body.begin(BodyLength.UNKNOWN, true, 0);
        assertThat(read("0\r\nX-Sum: 1\r\nFoo: a\r\n \tb\r\n")).isEmpty();
        assertThat(body.isEnded()).isFalse();
        assertThat(read("\r\nGET")).isEqualTo("GET");
        Fields trailers = body.takeTrailers();
        assertThat(trailers).isNotNull();
        assertThat(Parsing.lines(trailers)).containsExactly("X-Sum: 1", "Foo: a b");
    }

    @ParameterizedTest(name = "{index}")
    @ValueSource(
            strings = {
                "Foo\r\n",
                "Foo : a\r\n",
                " Foo: a\r\n",
                "F\0o: a\r\n",
                "Foo: a\rb\r\n",
                "Foo: a\nb\r\n",
                ": a\r\n",
                "\rX"
            })
    void brokenTrailers(String lines) {
        body.begin(BodyLength.UNKNOWN, true, 0);
        read("0\r\n" + lines);
        assertThat(body.failure()).isEqualTo(Failure.BAD_REQUEST);
    }
}
