package io.remora.http1.oracle;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.EmptyHttpHeaders;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import java.util.ArrayList;
import java.util.List;

/** The same work by Netty's codec and the rules around it, without the pipeline that would carry the messages. */
public final class NettyHeads {
    private static final String CLIENT = "10.244.1.17";
    private static final String VIA = "1.1 remora-k3x9q2";
    private static final String ID = "01JD6X8Z5M3Q7W9E2R4T6Y8U0P";
    private static final HttpDecoderConfig BOUNDS = new HttpDecoderConfig()
            .setMaxInitialLineLength(8 << 10)
            .setMaxHeaderSize(32 << 10)
            .setMaxChunkSize(32 << 10)
            .setInitialBufferSize(128);

    private final RequestDecoder requestDecoder = new RequestDecoder();
    private final ResponseDecoder responseDecoder = new ResponseDecoder();
    private final RequestEncoder requestEncoder = new RequestEncoder();
    private final ResponseEncoder responseEncoder = new ResponseEncoder();
    private final HeadScanner scanner = new HeadScanner(100);
    private final List<Object> out = new ArrayList<>();
    private final ChannelHandlerContext context;

    public NettyHeads() {
        EmbeddedChannel channel = new EmbeddedChannel(requestEncoder);
        channel.config().setAllocator(new UnpooledByteBufAllocator(true));
        context = channel.pipeline().context(requestEncoder);
    }

    public int parseRequest(ByteBuf in) {
        RequestFacts facts = parse(in);
        return facts.hosts;
    }

    private RequestFacts parse(ByteBuf in) {
        out.clear();
        scanner.reset();
        if (scanner.scan(in) != null) {
            throw new IllegalStateException("refused");
        }
        requestDecoder.run(in, out);
        HttpRequest request = (HttpRequest) out.get(0);
        RequestFacts facts = RequestFacts.of(request.headers());
        RequestTarget target =
                RequestTarget.parse(request.uri(), request.method().name());
        if (RequestRules.judge(request.method(), request.uri(), target, facts, true) != null) {
            throw new IllegalStateException("refused");
        }
        return facts;
    }

    public int forwardRequest(ByteBuf in) {
        RequestFacts facts = parse(in);
        HttpRequest request = (HttpRequest) out.get(0);
        HttpHeaders fields = request.headers();
        if (facts.connection) {
            FieldList.elements(fields, Names.CONNECTION);
            fields.remove(Names.CONNECTION);
        }
        fields.add(Names.VIA, VIA);
        fields.add(Names.X_FORWARDED_FOR, CLIENT);
        fields.add(Names.X_FORWARDED_PROTO, "http");
        fields.add(Names.X_FORWARDED_HOST, fields.get(Names.HOST));
        fields.add(Names.X_REQUEST_ID, ID);
        out.clear();
        requestEncoder.run(
                context,
                new DefaultFullHttpRequest(
                        HttpVersion.HTTP_1_1,
                        request.method(),
                        request.uri(),
                        Unpooled.EMPTY_BUFFER,
                        fields,
                        EmptyHttpHeaders.INSTANCE),
                out);
        return release();
    }

    public int forwardResponse(ByteBuf in) {
        out.clear();
        int lineFeed = in.indexOf(in.readerIndex(), in.writerIndex(), (byte) '\n');
        if (!StatusLine.isValid(in, in.readerIndex(), lineFeed + 1) || !FieldLines.areValid(in, lineFeed + 1)) {
            throw new IllegalStateException("refused");
        }
        responseDecoder.run(in, out);
        HttpResponse response = (HttpResponse) out.get(0);
        HttpHeaders fields = response.headers();
        if (ResponseRules.judge(response.status().code(), fields, false) != null || Persistence.asksToClose(fields)) {
            throw new IllegalStateException("refused");
        }
        ResponseRules.normalizeLength(fields);
        long length = ResponseRules.bodyLength(response.status().code(), fields, false);
        fields.add(Names.VIA, VIA);
        out.clear();
        responseEncoder.run(context, new DefaultHttpResponse(HttpVersion.HTTP_1_1, response.status(), fields), out);
        responseEncoder.run(context, LastHttpContent.EMPTY_LAST_CONTENT, out);
        responseDecoder.skipBody();
        return release() + (int) length;
    }

    private int release() {
        int length = 0;
        for (Object message : out) {
            if (message instanceof ByteBuf octets) {
                length += octets.readableBytes();
                octets.release();
            }
        }
        return length;
    }

    private static final class RequestDecoder extends HttpRequestDecoder {
        RequestDecoder() {
            super(BOUNDS);
        }

        void run(ByteBuf in, List<Object> messages) {
            try {
                decode(null, in, messages);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static final class ResponseDecoder extends HttpResponseDecoder {
        ResponseDecoder() {
            super(BOUNDS);
        }

        void run(ByteBuf in, List<Object> into) {
            try {
                decode(null, in, into);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        // the next octets are a head again
        void skipBody() {
            reset();
        }
    }

    private static final class RequestEncoder extends HttpRequestEncoder {
        void run(ChannelHandlerContext context, Object message, List<Object> into) {
            try {
                encode(context, message, into);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static final class ResponseEncoder extends HttpResponseEncoder {
        void run(ChannelHandlerContext context, Object message, List<Object> into) {
            try {
                encode(context, message, into);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
