package io.remora.finagle;

import com.twitter.finagle.ChannelException;
import com.twitter.finagle.Failure$;
import com.twitter.finagle.FailureFlags$;
import com.twitter.finagle.Status;
import com.twitter.finagle.http.Chunk;
import com.twitter.finagle.http.Multi;
import com.twitter.finagle.http.Request;
import com.twitter.finagle.http.Response;
import com.twitter.finagle.http.StreamTransportProxy;
import com.twitter.finagle.transport.Transport;
import com.twitter.io.Buf;
import com.twitter.io.Reader;
import com.twitter.util.Future;
import com.twitter.util.Throw;
import com.twitter.util.Try;
import io.remora.http.BodyLength;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import org.jspecify.annotations.Nullable;
import scala.Option;
import scala.runtime.BoxedUnit;

/**
 * Translates Finagle's requests for the codec, and the codec's responses for Finagle.
 *
 * <p>Owner: the event loop.
 */
final class CodecTransport extends StreamTransportProxy<Request, Response> {
    private final Transport<Object, Object> transport;
    private final HttpCodec codec;
    /** True if the request that is under way may be sent again if its connection turns out to be closed. */
    private boolean repeatable;
    /** The stream that waits for the request's result; null where the request belongs to no exchange. */
    private @Nullable FinagleStream waiting;

    CodecTransport(Transport<Object, Object> transport, HttpCodec codec) {
        super(transport);
        this.transport = transport;
        this.codec = codec;
    }

    @Override
    public Status status() {
        // before it is used again, which is when pools ask
        codec.lookWhileIdle();
        return codec.isSpoilt() ? Status.Closed$.MODULE$ : transport.status();
    }

    // ---- the request

    @Override
    public Future<BoxedUnit> write(Request request) {
        ExchangeRequest own = request instanceof ExchangeRequest known ? known : null;
        Fields fields = own == null ? HeaderView.of(request.headerMap()) : own.fields();
        // this connection's framing is nobody else's to say
        fields.remove(FieldName.TRANSFER_ENCODING);
        String method = own == null ? request.method().name() : own.methodText();
        Octets target = own == null ? Octets.of(request.uri()) : own.target();
        Piece content = request.isChunked() ? null : content(request, fields);
        long length = content == null ? lengthOf(request, fields) : content.length();
        boolean upgrades = own != null && own.upgrades();
        waiting = own == null ? null : own.stream();
        RequestStart start = new RequestStart(method, target, fields, length, content, upgrades, waiting);
        repeatable = own == null ? content == null && !request.isChunked() && isIdempotent(method) : own.isRepeatable();
        return transport.write(start).transform(written -> begun(written, request));
    }

    private static @Nullable Piece content(Request request, Fields fields) {
        Piece whole = request instanceof ExchangeRequest own ? own.whole() : null;
        if (whole == null) {
            Buf content = request.content();
            whole = content.isEmpty() ? null : Piece.of(content);
        }
        if (whole != null) {
            fields.set(FieldName.CONTENT_LENGTH, Integer.toString(whole.length()));
        } else if (request instanceof ExchangeRequest own && own.isReplaced()) {
            fields.remove(FieldName.CONTENT_LENGTH);
            fields.add(FieldName.CONTENT_LENGTH, "0");
        }
        return whole;
    }

    private static long lengthOf(Request request, Fields fields) {
        if (!request.isChunked()) {
            return BodyLength.NONE;
        }
        String declared = fields.get(FieldName.CONTENT_LENGTH);
        return declared == null ? BodyLength.UNKNOWN : Long.parseLong(declared);
    }

    private static boolean isIdempotent(String method) {
        return switch (method) {
            case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE" -> true;
            default -> false;
        };
    }

    private Future<BoxedUnit> begun(Try<BoxedUnit> written, Request request) {
        if (written instanceof Throw<BoxedUnit> thrown) {
            if (codec.hasRefused()) {
                // nothing of it was sent, so that it may go to another connection
                return Future.exception(onceMore(thrown.e()));
            }
            return outputBroken();
        }
        return request.isChunked() ? writeBody(request.chunkReader()).transform(this::sent) : Future.Done();
    }

    /** Lets Finagle send the request again within its budget, and has none of it counted against the endpoint. */
    private static Throwable onceMore(Throwable why) {
        return (Throwable) (Object) Failure$.MODULE$.retryable(why).flagged(FailureFlags$.MODULE$.Ignorable());
    }

    private Throwable lost(Throwable why) {
        boolean stale = codec.isStale();
        if (waiting != null) {
            waiting.lost(codec, stale);
        }
        if (!repeatable || !codec.isUsedAndUnanswered()) {
            return why;
        }
        // an endpoint that was not at rest has failed, and the request may be sent again all the same
        return stale ? onceMore(why) : (Throwable) (Object) Failure$.MODULE$.retryable(why);
    }

    private Future<BoxedUnit> sent(Try<BoxedUnit> body) {
        if (body instanceof Throw<BoxedUnit> thrown) {
            return thrown.e() instanceof ChannelException ? outputBroken() : Future.exception(thrown.e());
        }
        return Future.Done();
    }

    // an endpoint that takes no more may have answered: the next read tells
    private Future<BoxedUnit> outputBroken() {
        codec.outputBroken();
        return Future.Done();
    }

    private Future<BoxedUnit> writeBody(Reader<Chunk> body) {
        return body.read().flatMap(read -> writeNext(body, read));
    }

    private Future<BoxedUnit> writeNext(Reader<Chunk> body, Option<Chunk> read) {
        if (read.isEmpty()) {
            return transport.write(MessageEnd.WITHOUT_TRAILERS);
        }
        Chunk chunk = read.get();
        Future<BoxedUnit> written = transport.write(Piece.of(chunk));
        return chunk.isLast()
                ? written.flatMap(done -> body.read())
                        .flatMap(end -> transport.write(new MessageEnd(Trailing.of(chunk))))
                : written.flatMap(done -> writeBody(body));
    }

    // ---- the response

    @Override
    public Future<Multi<Response>> read() {
        return transport.read().transform(this::response);
    }

    private Future<Multi<Response>> response(Try<Object> read) {
        if (read instanceof Throw<Object> thrown) {
            return Future.exception(lost(thrown.e()));
        }
        if (!(read.get() instanceof ResponseStart start)) {
            return Future.exception(new IllegalStateException("no response begins so: " + read.get()));
        }
        if (waiting != null) {
            waiting.answers(codec, start.head().status);
        }
        if (!start.isWhole()) {
            ResponseBody body = new ResponseBody(transport, codec.loop());
            Response response = new EndpointResponse(start.head(), start.readyNs(), body, null, true);
            return Future.value(new Multi<>(response, body.whole()));
        }
        Response response = new EndpointResponse(start.head(), start.readyNs(), Reader.empty(), start.content(), false);
        return Future.value(new Multi<>(response, Future.Done()));
    }
}
