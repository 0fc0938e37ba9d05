package io.remora.http1.oracle;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import io.netty.util.ReferenceCountUtil;
import io.remora.http.Failure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** What Netty's decoders and the rules around them make of octets. */
public final class Oracle {
    private static final int SWITCHING_PROTOCOLS = 101;

    private final Transcript transcript = new Transcript();

    private Oracle() {}

    public static Transcript requests(
            byte[] octets, int lineOctets, int blockOctets, int fields, String defaultAuthority) {
        Oracle oracle = new Oracle();
        EmbeddedChannel channel = new EmbeddedChannel(new OracleRequestDecoder(lineOctets, blockOctets, fields));
        channel.writeInbound(Unpooled.wrappedBuffer(octets));
        boolean going = true;
        for (Object message = channel.readInbound(); message != null; message = channel.readInbound()) {
            going = going && oracle.takeOfRequest(message, fields, defaultAuthority);
            ReferenceCountUtil.release(message);
        }
        channel.finishAndReleaseAll();
        return oracle.transcript;
    }

    /** Of the responses to one request, up to the final one. */
    public static Transcript responses(byte[] octets, int blockOctets, boolean toHead, boolean switching) {
        Oracle oracle = new Oracle();
        EmbeddedChannel channel = new EmbeddedChannel(new OracleResponseDecoder(blockOctets, toHead));
        channel.writeInbound(Unpooled.wrappedBuffer(octets));
        boolean going = true;
        for (Object message = channel.readInbound(); message != null; message = channel.readInbound()) {
            going = going && oracle.takeOfResponse(message, toHead, switching);
            ReferenceCountUtil.release(message);
        }
        channel.finishAndReleaseAll();
        return oracle.transcript;
    }

    private boolean takeOfRequest(Object message, int maxFields, String defaultAuthority) {
        if (message instanceof Failure failure) {
            transcript.refused(failure);
            return false;
        }
        if (message instanceof HttpRequest request && !takeRequest(request, defaultAuthority)) {
            return false;
        }
        return !(message instanceof HttpContent content) || takeContent(content, maxFields, Failure.BAD_REQUEST);
    }

    private boolean takeRequest(HttpRequest request, String defaultAuthority) {
        if (request.decoderResult().isFailure()) {
            transcript.refused(ofRequestHead(request.decoderResult().cause()));
            return false;
        }
        boolean http11 = HttpVersion.HTTP_1_1.equals(request.protocolVersion());
        if (!http11 && !HttpVersion.HTTP_1_0.equals(request.protocolVersion())) {
            transcript.refused(Failure.UNSUPPORTED_VERSION);
            return false;
        }
        HttpMethod method = request.method();
        HttpHeaders fields = request.headers();
        RequestFacts facts = RequestFacts.of(fields);
        RequestTarget target = RequestTarget.parse(request.uri(), method.name());
        Failure failure = RequestRules.judge(method, request.uri(), target, facts, http11);
        if (failure != null || target == null) {
            transcript.refused(failure == null ? Failure.BAD_REQUEST : failure);
            return false;
        }
        String host = fields.get(Names.HOST);
        String authority = target.authority() != null ? target.authority() : host != null ? host : defaultAuthority;
        fields.remove(Names.HOST);
        boolean close = Persistence.asksToClose(fields);
        transcript.head(
                method.name() + " " + target.path() + " " + authority + " " + http11 + " "
                        + RequestRules.bodyLength(facts, fields) + (close ? " close" : ""),
                lines(fields));
        return true;
    }

    private boolean takeOfResponse(Object message, boolean toHead, boolean switching) {
        if (message instanceof Failure failure) {
            transcript.refused(failure);
            return false;
        }
        if (message instanceof HttpResponse response && !takeResponse(response, toHead, switching)) {
            return false;
        }
        return !(message instanceof HttpContent content)
                || takeContent(content, Integer.MAX_VALUE, Failure.BAD_RESPONSE);
    }

    private boolean takeResponse(HttpResponse response, boolean toHead, boolean switching) {
        int status = response.status().code();
        HttpHeaders fields = response.headers();
        boolean http11 = HttpVersion.HTTP_1_1.equals(response.protocolVersion());
        if (response.decoderResult().isFailure()
                || !http11 && !HttpVersion.HTTP_1_0.equals(response.protocolVersion())
                || ResponseRules.judge(status, fields, switching) != null) {
            transcript.refused(Failure.BAD_RESPONSE);
            return false;
        }
        ResponseRules.normalizeLength(fields);
        boolean kept = http11 && !Persistence.asksToClose(fields);
        long length = ResponseRules.bodyLength(status, fields, toHead);
        String declared = fields.get(Names.CONTENT_LENGTH);
        fields.remove(Names.CONTENT_LENGTH);
        fields.remove(Names.TRANSFER_ENCODING);
        transcript.head(
                status + " " + response.status().reasonPhrase() + " " + length + " " + declared + (kept ? " kept" : ""),
                lines(fields));
        return status != SWITCHING_PROTOCOLS;
    }

    private boolean takeContent(HttpContent content, int maxFields, Failure bad) {
        if (content.decoderResult().isFailure()) {
            transcript.refused(bad);
            return false;
        }
        ByteBuf octets = content.content();
        transcript.content(ByteBufUtil.getBytes(octets));
        if (content instanceof LastHttpContent last) {
            if (last.trailingHeaders().size() > maxFields) {
                transcript.refused(Failure.HEADERS_TOO_LARGE);
                return false;
            }
            transcript.end(lines(last.trailingHeaders()));
        }
        return true;
    }

    private static List<String> lines(HttpHeaders fields) {
        List<String> lines = new ArrayList<>();
        for (Map.Entry<String, String> field : fields) {
            lines.add(field.getKey() + ": " + field.getValue());
        }
        return lines;
    }

    private static Failure ofRequestHead(Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return Failure.TARGET_TOO_LONG;
        }
        return cause instanceof TooLongHttpHeaderException ? Failure.HEADERS_TOO_LARGE : Failure.BAD_REQUEST;
    }
}
