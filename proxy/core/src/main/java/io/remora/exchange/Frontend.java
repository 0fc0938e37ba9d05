package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import io.remora.transport.Link;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of an exchange: an HTTP/1 connection, or one stream of a connection that carries many.
 *
 * <p>Owner: the exchange's event loop. The frontend releases content that it receives. An abstract class for the reason
 * that {@code BackendStream} is one.
 */
public abstract class Frontend {
    private final @Nullable Link link;

    /** Creates a frontend whose connection names its client. */
    protected Frontend(Link link) {
        this.link = link;
    }

    /** Creates a frontend that names its client itself. */
    protected Frontend() {
        this.link = null;
    }

    /** Address of the other end of the connection, without brackets or port. */
    public String client() {
        return link == null ? "" : link.peerAddress();
    }

    /** The scheme by which the client came, {@code http} or {@code https}. */
    public String scheme() {
        return link == null ? "http" : link.scheme();
    }

    /** The key that separates its peer from others: an identity or address, or the connection where it has neither. */
    public Object claimant() {
        return link == null ? this : link.claimant();
    }

    /** Destination of the connection before it was redirected here; null where it was not, or nobody knows. */
    public @Nullable InetSocketAddress originalDestination() {
        return link == null ? null : link.originalDestination();
    }

    /** Name that the client has proved by its certificate; null for none. */
    public @Nullable String identity() {
        return link == null ? null : link.peerIdentity();
    }

    /**
     * The client's certificate as X-Forwarded-Client-Cert tells it, null for none.
     *
     * @param pem whether it has the certificate itself, where that is not too long
     */
    public @Nullable String forwardedCertificate(boolean pem) {
        return link == null ? null : link.forwardedCertificate(pem);
    }

    /** The version of TLS that the connection has, null for none. */
    public @Nullable String tlsVersion() {
        return link == null ? null : link.tlsVersion();
    }

    /** Its cipher suite, null for none. */
    public @Nullable String tlsCipher() {
        return link == null ? null : link.tlsCipher();
    }

    /** The request's version as a log shows it, {@code HTTP/1.1}. */
    public abstract String version();

    /**
     * Returns whether this is a tunnel from its first octet. Such a client gets no response: a failure has no status,
     * and shows in the way the tunnel ends.
     */
    public boolean isRaw() {
        return false;
    }

    /** Returns whether the client's side has been given up, so that no response would leave. */
    public boolean isGivenUp() {
        return false;
    }

    /** Sends an interim response at once. Left out where the client would not understand it. */
    public abstract void respondInterim(ResponseHead head);

    /**
     * Writes the final response's head, without a flush.
     *
     * @param last whether nothing more of the request will be read, so that a connection of its own must end with this
     *     response
     */
    public abstract void respond(ResponseHead head, boolean last);

    public abstract void respondContent(ByteBuf content);

    /**
     * Ends the response, or this side of a tunnel.
     *
     * @param trailers null for none
     */
    public abstract void respondEnd(@Nullable Fields trailers);

    public abstract void flush();

    /** Bounds every buffer on the client's side to {@code bytes} from now on, where the frontend can do so. */
    public void bound(int bytes) {}

    /**
     * Returns whether the frontend still holds bytes of the response. It then owes the loop's budget the exchange's
     * grant.
     *
     * @param held bytes of the heap that heads and trailers take beyond the grant
     */
    public boolean keeps(int grant, int held) {
        return false;
    }

    /** Returns whether content may be written without growing the client's queue beyond the buffer's bound. */
    public abstract boolean isWritable();

    /** Applies back-pressure: reads the request's body on, or rests. */
    public abstract void readBody(boolean wanted);

    /**
     * Ends a response whose head has been sent with {@code trailers} instead of the rest; drops the content that waits
     * for the client.
     *
     * @return whether the client gets the trailers; where not, nothing has changed
     */
    public boolean endEarly(Fields trailers) {
        return false;
    }

    /** Ends the client's side so that it shows that the response is not whole. */
    public abstract void abort();

    /** The exchange is over; nothing more of it will be written. */
    public abstract void exchangeDone();

    /** Sends a 101 and ends HTTP: from now on content is what the two sides say to each other, raw. */
    public abstract void openTunnel(ResponseHead head);

    /** The other side is a tunnel too by now: what the client has sent ahead may come. */
    public abstract void tunnelOpened();
}
