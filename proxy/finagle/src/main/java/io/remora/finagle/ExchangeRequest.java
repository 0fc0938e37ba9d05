package io.remora.finagle;

import com.twitter.finagle.http.Chunk;
import com.twitter.finagle.http.HeaderMap;
import com.twitter.finagle.http.Method;
import com.twitter.finagle.http.Request;
import com.twitter.finagle.http.collection.RecordSchema;
import com.twitter.io.Buf;
import com.twitter.io.Reader;
import com.twitter.io.Writer;
import io.remora.http.BodyLength;
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

    private final boolean upgrades;
    private final boolean repeatable;
    /** The body that is sent with the head; null for none, where it follows, and once a filter has set another one. */
    private @Nullable Piece whole;
    /** How often it was given to the balancer. */
    private int tries;

    private final Method usual;
    private Method method;
    private String uri;
    /** Null once a filter has set another one. */
    private @Nullable Octets target;

    private RecordSchema.@Nullable Record context;

    /**
     * @param whole the body where that is sent with the head
     */
    ExchangeRequest(RequestHead head, RequestBody body, FinagleStream stream, @Nullable Piece whole) {
        this.whole = whole;
        this.upgrades = head.upgrade() != null;
        this.repeatable = head.isIdempotent() && head.bodyLength() == BodyLength.NONE && !upgrades;
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

    /** Whether the endpoint may switch protocols. */
    boolean upgrades() {
        return upgrades;
    }

    /** Whether it may be sent again if its connection turns out to be closed. */
    boolean isRepeatable() {
        return repeatable;
    }

    /** Goes to the balancer; tells whether it has been written to a connection before. */
    boolean tried() {
        return tries++ > 0 && stream.repeats();
    }

    @Nullable
    Piece whole() {
        return whole;
    }

    @Override
    public Buf content() {
        return whole == null ? super.content() : whole.content();
    }

    @Override
    public void content_$eq(Buf other) {
        whole = null;
        super.content_$eq(other);
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
