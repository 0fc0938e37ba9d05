package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.remora.config.model.HeaderPolicy.Underscores;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http1.oracle.Transcript;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Runs the parsers over octets that come in pieces, as a connection does. */
final class Parsing {
    static final int LINE_OCTETS = 8 << 10;
    static final int BLOCK_OCTETS = 32 << 10;
    static final int FIELDS = 100;
    static final String DEFAULT_AUTHORITY = "default.example";
    static final SectionRules REQUEST = request(Underscores.PASS);
    static final SectionRules RESPONSE = SectionRules.ofResponse(2 * BLOCK_OCTETS);

    private Parsing() {}

    static SectionRules request(Underscores underscores) {
        return SectionRules.ofRequest(LINE_OCTETS, BLOCK_OCTETS, FIELDS, underscores);
    }

    static byte[] bytes(String octets) {
        return octets.getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Cut at these places, which ascend. */
    static List<byte[]> pieces(byte[] octets, int... cuts) {
        List<byte[]> pieces = new ArrayList<>();
        int from = 0;
        for (int cut : cuts) {
            pieces.add(Arrays.copyOfRange(octets, from, cut));
            from = cut;
        }
        pieces.add(Arrays.copyOfRange(octets, from, octets.length));
        return pieces;
    }

    static List<byte[]> single(byte[] octets) {
        List<byte[]> pieces = new ArrayList<>();
        for (byte octet : octets) {
            pieces.add(new byte[] {octet});
        }
        return pieces;
    }

    /** A parser that has been given one head, a request line or status line with the lines that follow it. */
    static <P extends SectionParser> P head(P parser, String startLine, String... lines) {
        StringBuilder head = new StringBuilder(startLine).append("\r\n");
        for (String line : lines) {
            head.append(line).append("\r\n");
        }
        ByteBuf in = Unpooled.wrappedBuffer(bytes(head.append("\r\n").toString()));
        Progress progress = parser.parse(in);
        boolean whole = progress == Progress.DONE && !in.isReadable();
        if (!whole && progress != Progress.REFUSED) {
            throw new AssertionError(progress + " with " + in.readableBytes() + " octets left of " + head);
        }
        return parser;
    }

    static RequestParser requestParser() {
        return new RequestParser(REQUEST, Octets.of(DEFAULT_AUTHORITY));
    }

    /** What is wrong with a head, null for nothing. */
    static @Nullable Failure failure(SectionParser parser, String startLine, String... lines) {
        head(parser, startLine, lines);
        // whoever was refused says so again
        return parser.parse(Unpooled.EMPTY_BUFFER) == Progress.REFUSED ? parser.failure() : null;
    }

    /** A request as its exchange gets it, from a head that is in order. */
    static Http1Request request(String requestLine, String... lines) {
        RequestParser parser = head(requestParser(), requestLine, lines);
        return new Http1Request(
                parser.method(),
                parser.target(),
                parser.authority(),
                parser.isHttp11(),
                parser.fields(),
                parser.bodyLength(),
                parser.connectionOptions());
    }

    static Transcript requests(String octets) {
        return requests(REQUEST, List.of(bytes(octets)));
    }

    static Transcript requests(SectionRules rules, List<byte[]> pieces) {
        Requests connection = new Requests(rules);
        connection.run(pieces);
        return connection.transcript;
    }

    /** As if no name were confusable for its underscores. */
    static Transcript requestsWithAnyName(String octets) {
        SectionRules any = REQUEST;
        return requests(
                new SectionRules(
                        any.lineOctets(),
                        any.blockOctets(),
                        any.fields(),
                        any.mends(),
                        any.straySpaces(),
                        null,
                        any.bad(),
                        any.lineTooLong(),
                        any.blockTooLarge(),
                        any.tooManyFields()),
                List.of(bytes(octets)));
    }

    static Transcript responses(String octets, boolean toHead, boolean switching) {
        return responses(List.of(bytes(octets)), toHead, switching);
    }

    static Transcript responses(List<byte[]> pieces, boolean toHead, boolean switching) {
        Responses connection = new Responses(toHead, switching);
        connection.run(pieces);
        return connection.transcript;
    }

    /** The lines as they are told one by one; those written must say the same. */
    static List<String> lines(Fields fields) {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < fields.size(); i++) {
            lines.add(fields.name(i) + ": " + fields.value(i));
        }
        byte[] written = new byte[fields.length()];
        int end = fields.writeTo(written, 0);
        StringBuilder expected = new StringBuilder();
        lines.forEach(line -> expected.append(line).append("\r\n"));
        if (end != written.length || !expected.toString().equals(Octets.text(written, 0, end))) {
            throw new AssertionError("written as " + Octets.text(written, 0, end) + " rather than " + expected);
        }
        return lines;
    }

    private abstract static class Connection {
        final Transcript transcript = new Transcript();
        final BodyReader body;
        boolean inBody;
        boolean over;

        Connection(SectionRules rules) {
            body = new BodyReader(rules.ofBody());
        }

        void run(List<byte[]> pieces) {
            for (byte[] piece : pieces) {
                ByteBuf in = Unpooled.directBuffer(Math.max(piece.length, 1)).writeBytes(piece);
                if (take(in)) {
                    in.release();
                }
            }
        }

        // whether the buffer is still ours
        private boolean take(ByteBuf in) {
            boolean more = true;
            while (more && !over) {
                if (!inBody) {
                    more = head(in);
                } else {
                    ByteBuf content = body.read(in);
                    if (content != null) {
                        transcript.content(ByteBufUtil.getBytes(content));
                        content.release();
                    }
                    more = content != null && content != in && body.failure() == null;
                    if (body.failure() != null) {
                        refuse(body.failure());
                    } else if (body.isEnded()) {
                        end(body.takeTrailers());
                        more = content != in;
                    }
                    if (content == in) {
                        return false;
                    }
                }
            }
            return true;
        }

        void refuse(Object failure) {
            transcript.refused(failure);
            over = true;
        }

        void end(Fields trailers) {
            transcript.end(trailers == null ? List.of() : lines(trailers));
            inBody = false;
        }

        abstract boolean head(ByteBuf in);
    }

    private static final class Requests extends Connection {
        private final RequestParser parser;

        Requests(SectionRules rules) {
            super(rules);
            parser = new RequestParser(rules, Octets.of(DEFAULT_AUTHORITY));
        }

        @Override
        boolean head(ByteBuf in) {
            Progress progress = parser.parse(in);
            if (progress == Progress.REFUSED) {
                refuse(parser.failure());
            }
            if (progress != Progress.DONE) {
                return false;
            }
            Fields fields = parser.fields();
            String host = fields.get(FieldName.HOST);
            if (!parser.authority().toString().equals(host)) {
                throw new AssertionError(parser.authority() + " with Host " + host);
            }
            fields.remove(FieldName.HOST);
            boolean close = (parser.connectionOptions() & ConnectionOptions.CLOSE) != 0;
            transcript.head(
                    parser.method() + " " + parser.target() + " " + parser.authority() + " " + parser.isHttp11() + " "
                            + parser.bodyLength() + (close ? " close" : ""),
                    lines(fields));
            body.begin(parser.bodyLength(), true, parser.blockOctets());
            parser.reset();
            inBody = true;
            if (body.isEnded()) {
                end(null);
            }
            return true;
        }
    }

    private static final class Responses extends Connection {
        private final ResponseParser parser = new ResponseParser(RESPONSE);

        Responses(boolean toHead, boolean switching) {
            super(RESPONSE);
            parser.expect(toHead, switching);
        }

        @Override
        boolean head(ByteBuf in) {
            Progress progress = parser.parse(in);
            if (progress == Progress.REFUSED) {
                refuse(parser.failure());
            }
            if (progress != Progress.DONE) {
                return false;
            }
            Fields fields = parser.fields();
            String length = fields.get(FieldName.CONTENT_LENGTH);
            fields.remove(FieldName.CONTENT_LENGTH);
            fields.remove(FieldName.TRANSFER_ENCODING);
            int status = parser.status();
            transcript.head(
                    status + " " + parser.reason() + " " + parser.bodyLength() + " " + length
                            + (parser.isKeptAlive() ? " kept" : ""),
                    lines(fields));
            body.begin(parser.bodyLength(), parser.isChunked(), parser.blockOctets());
            if ((parser.bodyLength() == BodyLength.NONE) != body.isEnded()) {
                throw new AssertionError("a body of " + parser.bodyLength());
            }
            parser.reset();
            inBody = true;
            over = status == 101;
            if (body.isEnded() && !over) {
                end(null);
            }
            inFinal |= status >= 200;
            over |= inFinal && !inBody;
            return true;
        }

        private boolean inFinal;

        @Override
        void end(Fields trailers) {
            super.end(trailers);
            over |= inFinal;
        }
    }
}
