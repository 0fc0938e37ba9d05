package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.util.ReferenceCountUtil;
import io.remora.exchange.Backend;
import io.remora.exchange.Exchange;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.RequestHead;
import io.remora.pool.EndpointPool;
import io.remora.transport.Deadline;
import io.remora.transport.Drainable;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP/1.1 connection to a backend: one exchange at a time, never pipelined.
 *
 * <p>Owner: its pool's event loop.
 *
 * <p>Spec: RFC 9112 section 9; a response that breaks a rule is a 502 and ends the connection.
 */
final class Http1Backend extends Backend implements Drainable {
    private final EndpointPool<Backend> pool;
    private final BackendFactory shared;
    private final Channel channel;
    private final ResponseDecoder decoder;
    private final ResponseReader response;
    private final RequestWriter writer;
    private final Deadline deadline;
    private @Nullable Exchange exchange;
    private boolean requestEnded;
    /** The endpoint takes no more of the request; a response may still be there to be read. */
    private boolean outputBroken;

    private long bodyIdleNs;

    private Http1Backend(EndpointPool<Backend> pool, BackendFactory shared, Channel channel) {
        this.pool = pool;
        this.shared = shared;
        this.channel = channel;
        this.decoder = shared.decoder();
        this.writer = new RequestWriter(channel);
        this.deadline = shared.loop().deadlines().add(this);
        this.response = new ResponseReader(this, decoder, deadline);
    }

    /** Makes the connection of a channel that has just connected. */
    static Http1Backend install(EndpointPool<Backend> pool, BackendFactory shared, Channel channel) {
        Http1Backend backend = new Http1Backend(pool, shared, channel);
        ChannelPipeline pipeline = channel.pipeline();
        pipeline.removeFirst();
        pipeline.addLast(backend.decoder, backend.writer.encoder(), backend);
        return backend;
    }

    // ---- the pool

    @Override
    protected boolean isUsable() {
        return channel.isActive() && !outputBroken && !decoder.hasUnasked();
    }

    // what arrived in this turn of the loop may not have been read yet, and would be taken for the next response
    @Override
    protected boolean isSilent() {
        return shared.isSilent(channel);
    }

    @Override
    protected void onIdle() {
        deadline.set(shared.config().idleNs());
    }

    @Override
    public void close() {
        channel.close();
    }

    @Override
    public Channel channel() {
        return channel;
    }

    // ---- the request

    @Override
    public void dispatch(Exchange to, RequestHead head) {
        exchange = to;
        bodyIdleNs = to.bodyIdleNs();
        requestEnded = head.bodyLength == BodyLength.NONE;
        response.expect(head.isHead(), bodyIdleNs);
        writer.writeHead(head);
        if (requestEnded) {
            deadline.set(shared.config().responseHeaderNs());
        } else {
            deadline.clear();
        }
    }

    @Override
    public void requestContent(ByteBuf content) {
        writer.writeContent(content);
    }

    @Override
    public void requestEnd(@Nullable HttpHeaders trailers) {
        requestEnded = true;
        writer.writeEnd(trailers);
        if (!response.isHeadSeen()) {
            deadline.set(shared.config().responseHeaderNs());
        }
    }

    @Override
    public void flush() {
        channel.flush();
    }

    @Override
    public boolean isWritable() {
        return channel.isWritable();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext at) {
        Exchange current = exchange;
        if (current == null) {
            return;
        }
        if (channel.isWritable()) {
            if (!requestEnded) {
                deadline.clear();
            }
        } else {
            deadline.set(bodyIdleNs);
        }
        current.backendWritable(channel.isWritable());
    }

    // ---- the response

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        Exchange current = exchange;
        if (current == null) {
            ReferenceCountUtil.release(message);
            return;
        }
        Failure failure = response.take(current, message);
        if (failure != null) {
            fail(current, failure);
        }
    }

    boolean serves(Exchange asking) {
        return exchange == asking;
    }

    boolean isOutputBroken() {
        return outputBroken;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext at) {
        Exchange current = exchange;
        if (current != null) {
            current.responseReadComplete();
        } else if (decoder.hasUnasked()) {
            channel.close();
        }
    }

    @Override
    public void readResponse(boolean wanted) {
        channel.config().setAutoRead(wanted);
        response.readOn(wanted);
    }

    // ---- the end

    @Override
    public void release() {
        exchange = null;
        channel.config().setAutoRead(true);
        deadline.clear();
        // not even dispatched to, or done with in order
        boolean done = response.isEnded() && response.isKeptAlive() && requestEnded;
        if (isUsable() && (done || !response.isHeadSeen())) {
            pool.release(this);
        } else {
            pool.discard(this);
        }
    }

    @Override
    public void abandon() {
        exchange = null;
        deadline.clear();
        pool.discard(this);
    }

    @Override
    public void leaveHttp(ChannelHandler tunnel) {
        deadline.cancel();
        exchange = null;
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        channel.config().setAutoRead(true);
        channel.pipeline().remove(writer.encoder());
        // what the decoder still holds goes to the handler that takes its place
        channel.pipeline().replace(decoder, null, tunnel);
    }

    @Override
    public void onDeadline() {
        Exchange current = exchange;
        if (current == null) {
            channel.close();
        } else if (!channel.isWritable() || response.isHeadSeen()) {
            fail(current, Failure.BACKEND_STALLED);
        } else {
            fail(current, Failure.RESPONSE_TIMEOUT);
        }
    }

    @Override
    public void drain() {
        // exchanges in progress may still need one, and an idle one delays nobody
    }

    @Override
    public void cut() {
        // one that serves goes with its client's
        if (exchange == null) {
            channel.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext at) {
        deadline.cancel();
        pool.closed(this);
        Exchange current = exchange;
        if (current != null) {
            fail(current, Failure.BACKEND_CLOSED);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        if (outputBroken && cause instanceof ClosedChannelException
                || cause instanceof ChannelOutputShutdownException) {
            // what is read next tells whether the endpoint has answered or is gone
            outputBroken = true;
            if (exchange != null && !requestEnded) {
                deadline.set(bodyIdleNs);
            }
            return;
        }
        if (!(cause instanceof IOException)) {
            shared.loop().report("backend connection ended by ", cause);
        }
        Exchange current = exchange;
        if (current != null) {
            fail(current, Failure.BACKEND_CLOSED);
        }
        channel.close();
    }

    private void fail(Exchange current, Failure failure) {
        exchange = null;
        current.backendFailed(failure, decoder.hasAnyByte());
        channel.close();
    }
}
