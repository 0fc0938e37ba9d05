package io.remora.finagle;

import com.twitter.finagle.http.Chunk;
import com.twitter.finagle.http.HeaderMap;
import com.twitter.finagle.http.Method;
import com.twitter.finagle.http.Request;
import com.twitter.finagle.http.collection.RecordSchema;
import com.twitter.io.Reader;
import com.twitter.io.Writer;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * An exchange's request as Finagle's stack sees it. Its field lines are those of the exchange.
 *
 * <p>Owner: the exchange's event loop.
 */
final class ExchangeRequest extends Request {
    private static final InetSocketAddress NOBODY = new InetSocketAddress(0);

    private final HeaderView headers;
    private final RequestBody body;
    private final FinagleStream stream;
    /** The method as it came: Finagle takes {@code get} for {@code GET}. */
    private final String received;

    private final Method usual;
    private Method method;
    private String uri;
    /** Null once a filter has set another one. */
    private @Nullable Octets target;

    private RecordSchema.@Nullable Record context;

    ExchangeRequest(RequestHead head, RequestBody body, FinagleStream stream) {
        this.headers = new HeaderView(head.fields);
        this.body = body;
        this.stream = stream;
        this.received = head.method;
        this.method = Method.apply(received);
        this.usual = method;
        this.target = head.target;
        this.uri = head.target.toString();
    }

    /** Who waits for what becomes of it. */
    FinagleStream stream() {
        return stream;
    }

    /** The field lines as they go out. */
    Fields fields() {
        return headers.fields();
    }

    @SuppressWarnings("ReferenceEquality") // whether a filter has set one
    String methodText() {
        return method == usual ? received : method.name();
    }

    Octets target() {
        return target == null ? Octets.of(uri) : target;
    }

    @Override
    public RecordSchema.Record ctx() {
        if (context == null) {
            context = Request.Schema().newRecord();
        }
        return context;
    }

    @Override
    public Method method() {
        return method;
    }

    @Override
    public void method_$eq(Method other) {
        method = other;
    }

    @Override
    public String uri() {
        return uri;
    }

    @Override
    public void uri_$eq(String other) {
        uri = other;
        target = null;
    }

    @Override
    public InetSocketAddress remoteSocketAddress() {
        return NOBODY;
    }

    @Override
    public Reader<Chunk> chunkReader() {
        return body;
    }

    @Override
    public Writer<Chunk> chunkWriter() {
        throw new UnsupportedOperationException("the exchange writes the body");
    }

    @Override
    public HeaderMap headerMap() {
        return headers.map();
    }

    @Override
    public HeaderMap trailers() {
        return HeaderMap.Empty();
    }
}
