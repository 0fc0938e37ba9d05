package io.remora.finagle;

import com.twitter.finagle.http.Chunk;
import com.twitter.finagle.http.HeaderMap;
import com.twitter.finagle.http.Response;
import com.twitter.finagle.http.Status;
import com.twitter.finagle.http.collection.RecordSchema;
import com.twitter.io.Buf;
import com.twitter.io.Reader;
import com.twitter.io.Writer;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint's response as Finagle's stack sees it. Its field lines are those that came, without those about the connection.
 *
 * <p>Owner: the exchange's event loop.
 */
final class EndpointResponse extends Response {
    private final ResponseHead head;
    private final long readyNs;
    private final HeaderView headers;
    private final Reader<Chunk> reader;
    /** The body that came with the head; null for none, where it follows, and once a filter has set another one. */
    private @Nullable Piece whole;

    private boolean replaced;
    private boolean used;
    private @Nullable Status status;
    private RecordSchema.@Nullable Record context;

    /**
     * @param readyNs when its first bytes were readable
     * @param whole the body where that came with the head
     * @param streams whether it follows
     */
    EndpointResponse(ResponseHead head, long readyNs, Reader<Chunk> reader, @Nullable Piece whole, boolean streams) {
        super.setChunked(streams);
        // the call above may clear the content, which is no replacement
        replaced = false;
        this.whole = whole;
        this.head = head;
        this.readyNs = readyNs;
        this.headers = new HeaderView(head.fields);
        this.reader = reader;
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

    /** Gives it to a client; false where one has got it: its content is gone, and its lines are that client's. */
    boolean use() {
        boolean first = !used;
        used = true;
        return first;
    }

    ResponseHead head() {
        return head;
    }

    long readyNs() {
        return readyNs;
    }

    /** The field lines, with what filters have changed. */
    Fields fields() {
        return headers.fields();
    }

    /** Returns whether no filter has set another status. */
    boolean isAsReceived() {
        return status == null || status.code() == head.status;
    }

    @Override
    public RecordSchema.Record ctx() {
        if (context == null) {
            context = Response.Schema().newRecord();
        }
        return context;
    }

    @Override
    public Status status() {
        if (status == null) {
            status = Status.fromCode(head.status);
        }
        return status;
    }

    @Override
    public void status_$eq(Status other) {
        status = other;
    }

    @Override
    public Reader<Chunk> chunkReader() {
        return reader;
    }

    @Override
    public Writer<Chunk> chunkWriter() {
        throw new UnsupportedOperationException("the endpoint writes the body");
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
