package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.remora.config.model.HeaderPolicy.Underscores;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads one request after the other, each with its whole body, for pages that the process answers itself. The rules are
 * those for every client.
 *
 * <p>Owner: one connection. Bounds: those given.
 */
public final class WholeRequests {
    private static final byte[] NOTHING = {};

    private final RequestParser parser;
    private final BodyReader bodies;
    private final int bodyOctets;
    private byte[] body = NOTHING;
    private int length;
    private boolean inBody;
    private boolean expectsContinue;
    private @Nullable Failure failure;

    /**
     * @param lineOctets of a request line
     * @param blockOctets of a header section
     * @param fields in a header section
     * @param bodyOctets of a body
     */
    public WholeRequests(int lineOctets, int blockOctets, int fields, int bodyOctets) {
        SectionRules rules = SectionRules.ofRequest(lineOctets, blockOctets, fields, Underscores.PASS);
        this.parser = new RequestParser(rules, Octets.of("localhost"));
        this.bodies = new BodyReader(rules.ofBody());
        this.bodyOctets = bodyOctets;
    }

    /** Takes octets out of {@code in}; returns whether a request is whole, or refused: {@link #failure} says which. */
    public boolean read(ByteBuf in) {
        if (!inBody) {
            Progress progress = parser.parse(in);
            if (progress != Progress.DONE) {
                failure = progress == Progress.REFUSED ? parser.failure() : null;
                return progress == Progress.REFUSED;
            }
            bodies.begin(parser.bodyLength(), parser.bodyLength() == BodyLength.UNKNOWN, parser.blockOctets());
            inBody = true;
            expectsContinue =
                    parser.isHttp11() && !bodies.isEnded() && fields().contains(FieldName.EXPECT, "100-continue", true);
        }
        return readBody(in);
    }

    @SuppressWarnings("ReferenceEquality") // the buffer itself, or a slice of it
    private boolean readBody(ByteBuf in) {
        while (failure == null && !bodies.isEnded()) {
            ByteBuf content = bodies.read(in);
            failure = bodies.failure();
            if (content == null) {
                break;
            }
            take(content);
            if (content != in) {
                content.release();
            }
        }
        return failure != null || bodies.isEnded();
    }

    private void take(ByteBuf content) {
        int octets = content.readableBytes();
        if (length + octets > bodyOctets) {
            failure = Failure.BODY_TOO_LARGE;
            return;
        }
        if (length + octets > body.length) {
            // it doubles up to what is announced, as octets that have not come cost their sender nothing
            long most = announcedOctets() < 0 ? bodyOctets : Math.min(announcedOctets(), bodyOctets);
            body = Arrays.copyOf(body, (int) Math.max(length + octets, Math.min(2L * length, most)));
        }
        content.readBytes(body, length, octets);
        length += octets;
    }

    /** Octets of the body whose head has come, or {@link BodyLength#UNKNOWN}; 0 before that. */
    public long announcedOctets() {
        return inBody ? parser.bodyLength() : BodyLength.NONE;
    }

    /** Octets of the body that have come. */
    public int receivedOctets() {
        return length;
    }

    /** Returns whether the client waits for a 100 before it sends the body; true once only. */
    public boolean expectsContinue() {
        boolean expected = expectsContinue;
        expectsContinue = false;
        return expected;
    }

    /** Failure of the request, after which nothing can be understood; null of a whole one. */
    public @Nullable Failure failure() {
        return failure;
    }

    /** True where the request that is whole, or was last, has version 1.1; it is 1.0 otherwise. */
    public boolean isHttp11() {
        return parser.isHttp11();
    }

    public String method() {
        return parser.method();
    }

    /** Target in origin-form with its query, or an asterisk. */
    public String target() {
        return parser.target().toString();
    }

    /** Authority of an absolute-form target, or the value of Host; {@code localhost} where HTTP/1.0 has neither. */
    public String authority() {
        return parser.authority().toString();
    }

    public Fields fields() {
        return parser.fields();
    }

    /** Body, with each octet as a character. */
    public String body() {
        return new String(body, 0, length, StandardCharsets.ISO_8859_1);
    }

    /** Hands over the octets of the body. */
    public byte[] takeBody() {
        byte[] whole = body.length == length ? body : Arrays.copyOf(body, length);
        body = NOTHING;
        length = 0;
        return whole;
    }

    /** Returns whether the client may send another request (RFC 9112 9.3). */
    public boolean isPersistent() {
        int options = parser.connectionOptions();
        return (options & ConnectionOptions.CLOSE) == 0
                && (parser.isHttp11() || (options & ConnectionOptions.KEEP_ALIVE) != 0);
    }

    /** Drops the request that was whole. */
    public void next() {
        parser.reset();
        body = NOTHING;
        length = 0;
        inBody = false;
        expectsContinue = false;
    }
}
