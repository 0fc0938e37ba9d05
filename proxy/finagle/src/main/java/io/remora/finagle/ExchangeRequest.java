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
import io.remora.http.FieldName;
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
    private static final char DELETE = 0x7f;

    private final HeaderView headers;
    private final FinagleRequestBody body;
    private final FinagleStream stream;
    /** The method as it came: Finagle takes {@code get} for {@code GET}. */
    private final String received;

    private final boolean upgrades;
    private final boolean repeatable;
    /** The body that is sent with the head; null for none, where it follows, and once a filter has set another one. */
    private @Nullable Piece whole;

    private boolean replaced;
    /** The number of times that it was given to the balancer. */
    private int tries;

    private final Method usual;
    private Method method;
    private String uri;
    /** The target; null once a filter has set another one. */
    private @Nullable Octets target;

    private RecordSchema.@Nullable Record context;

    /**
     * @param whole the body where that is sent with the head
     * @param streams whether it follows
     */
    ExchangeRequest(
            RequestHead head, FinagleRequestBody body, FinagleStream stream, @Nullable Piece whole, boolean streams) {
        super.setChunked(streams);
        // the call above may clear the content, which is no replacement
        replaced = false;
        this.whole = whole;
        this.upgrades = head.upgrade() != null;
        this.repeatable = head.isIdempotent() && head.bodyLength() == BodyLength.NONE && !upgrades;
        this.headers = new HeaderView(head.fields);
        this.body = body;
        this.stream = stream;
        this.received = head.method;
        this.method = Method.apply(received);
        this.usual = method;
        this.target = head.sentTarget();
        this.uri = head.sentTarget().toString();
    }

    /** Returns the stream that waits for the result. */
    FinagleStream stream() {
        return stream;
    }

    /** Returns whether the endpoint may switch protocols. */
    boolean upgrades() {
        return upgrades;
    }

    /** Returns whether it may be sent again if its connection turns out to be closed. */
    @SuppressWarnings("ReferenceEquality") // whether a filter has set one
    boolean isRepeatable() {
        return repeatable && method == usual;
    }

    /** Goes to the balancer; tells whether the last connection that had it was lost. */
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
        super.content_$eq(other);
        whole = null;
        replaced = true;
    }

    /** Returns whether a filter has set another body. */
    boolean isReplaced() {
        return replaced;
    }

    /** Does nothing: the connection decides the body's framing. */
    @Override
    public void setChunked(boolean ignored) {}

    // ---- what users' filters may do

    /**
     * Returns whether its body cannot be sent from its beginning.
     *
     * @param sent whether it has been sent before
     */
    boolean isBodyUsed(boolean sent) {
        return sent && (isChunked() || whole != null) || isChunked() && body.isBegun();
    }

    /**
     * Judges the changes of filters.
     *
     * @throws IllegalArgumentException for a request that no endpoint may get
     */
    @SuppressWarnings("ReferenceEquality") // whether a filter has set one
    void settle() {
        String name = methodText();
        boolean bodiless = name.equals("HEAD") != received.equals("HEAD") || name.equals("CONNECT");
        if (method != usual && (bodiless || !FieldName.isName(name))) {
            throw new IllegalArgumentException("method " + name + " instead of " + received);
        }
        for (int i = 0; target == null && i < uri.length(); i++) {
            if (uri.charAt(i) <= ' ' || uri.charAt(i) >= DELETE) {
                throw new IllegalArgumentException("not a request target: " + uri);
            }
        }
        if (target == null && !uri.startsWith("/") && !uri.equals("*")) {
            throw new IllegalArgumentException("not a request target: " + uri);
        }
        headers.fields();
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
