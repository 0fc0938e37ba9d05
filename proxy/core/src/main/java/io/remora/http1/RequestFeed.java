package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import io.remora.exchange.ClientConnection;
import io.remora.exchange.FrontendExchange;
import io.remora.http.Failure;
import io.remora.http.Fields;
import io.remora.http.Rule;
import org.jspecify.annotations.Nullable;

/**
 * The octets that a client sends after a request's head, on their way to the exchange. They are the body, or a
 * tunnel's, and are read as fast as the exchange wants them.
 *
 * <p>Owner: one connection. Bounds: reading rests while the exchange wants nothing.
 */
final class RequestFeed {
    private final ClientConnection connection;
    private final RequestInput input;
    private boolean wanted = true;

    RequestFeed(ClientConnection connection, RequestInput input) {
        this.connection = connection;
        this.input = input;
    }

    /** A request begins, which wants its body until its exchange says otherwise. */
    void begin() {
        wanted = true;
    }

    /** Sets whether the body is wanted; returns whether that has changed. */
    boolean want(boolean nowWanted) {
        boolean changed = wanted != nowWanted;
        wanted = nowWanted;
        return changed;
    }

    /**
     * Has the channel read, or rest. While no request may begin, input is read ahead: only a read shows that the client
     * has reset.
     */
    void readAsWanted(boolean mayBegin) {
        boolean reads = input.state() == RequestInput.State.HEAD ? mayBegin || input.hasRoom() : wanted;
        connection.link().read(reads || connection.isOver());
    }

    /** Returns whether the client is to go on sending the body of {@code current}. */
    boolean isAwaited(@Nullable FrontendExchange current) {
        return current != null && input.state() == RequestInput.State.BODY && wanted && !current.isRequestEnded();
    }

    /**
     * Hands on the next piece of a body, and its end.
     *
     * @param current null where the exchange is over, and the rest of its request only makes room for the next
     * @return whether there may be more to take
     */
    boolean takeContent(@Nullable FrontendExchange current) {
        ByteBuf content = input.readBody();
        if (content != null) {
            if (current == null) {
                content.release();
            } else {
                current.requestContent(content);
            }
        }
        Failure failure = input.bodyFailure();
        if (failure != null) {
            // the request turned out broken behind its head
            Rule rule = input.rule();
            input.abandon();
            if (current != null) {
                current.fail(failure, rule);
            }
            return false;
        }
        if (input.endBodyIfWhole()) {
            Fields trailers = input.takeTrailers();
            if (current != null) {
                // which means nothing to an exchange that the content has ended
                current.requestEnd(trailers);
            }
        }
        return content != null || input.state() != RequestInput.State.BODY;
    }

    /**
     * Hands on the octets of a tunnel that have come.
     *
     * @return whether there may be more to take
     */
    boolean takeRaw(@Nullable FrontendExchange current) {
        ByteBuf bytes = input.raw();
        if (bytes == null || current == null) {
            ReferenceCountUtil.safeRelease(bytes);
            return false;
        }
        connection.clientWait().forTunnel(current);
        current.requestContent(bytes);
        return true;
    }
}
