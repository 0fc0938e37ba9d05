package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.nio.AbstractNioChannel;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.remora.config.ClusterConfig;
import io.remora.exchange.Backend;
import io.remora.exchange.Exchange;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.pool.EndpointPool;
import io.remora.transport.Deadline;
import io.remora.transport.Drainable;
import io.remora.transport.Loop;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SocketChannel;
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
    private final ClusterConfig config;
    private final Loop loop;
    private final Channel channel;
    private final ResponseDecoder decoder;
    private final RequestWriter writer;
    private final Deadline deadline;
    private final ByteBuffer probe;
    private @Nullable Exchange exchange;
    private boolean toHead;
    private boolean requestEnded;
    private boolean headSeen;
    private boolean keepAlive;
    private boolean ended;
    /** The endpoint takes no more of the request; a response may still be there to be read. */
    private boolean outputBroken;

    private boolean closeDelimited;
    private long bodyIdleNs;

    private Http1Backend(
            EndpointPool<Backend> pool,
            ClusterConfig config,
            Channel channel,
            ResponseDecoder decoder,
            Loop loop,
            ByteBuffer probe) {
        this.pool = pool;
        this.config = config;
        this.loop = loop;
        this.channel = channel;
        this.decoder = decoder;
        this.writer = new RequestWriter(channel);
        this.deadline = loop.deadlines().add(this);
        this.probe = probe;
    }

    /**
     * Makes the connection of a channel that has just connected.
     *
     * @param probe one byte of the loop's
     */
    static Http1Backend install(
            EndpointPool<Backend> pool,
            ClusterConfig config,
            Channel channel,
            ResponseDecoder decoder,
            Loop loop,
            ByteBuffer probe) {
        Http1Backend backend = new Http1Backend(pool, config, channel, decoder, loop, probe);
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
        if (!(channel.unsafe() instanceof AbstractNioChannel.NioUnsafe nio
                && nio.ch() instanceof SocketChannel socket)) {
            return true;
        }
        try {
            return socket.read(probe.clear()) == 0;
        } catch (IOException ended) {
            return false;
        }
    }

    @Override
    protected void onIdle() {
        deadline.set(config.idleNs());
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
        toHead = head.isHead();
        requestEnded = head.bodyLength == BodyLength.NONE;
        headSeen = false;
        ended = false;
        keepAlive = false;
        decoder.expect(toHead);
        writer.writeHead(head);
        if (requestEnded) {
            deadline.set(config.responseHeaderNs());
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
        if (!headSeen) {
            deadline.set(config.responseHeaderNs());
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
        } else if (message instanceof HttpResponse response) {
            onHead(current, response);
        } else if (message instanceof HttpContent content) {
            onContent(current, content);
        } else if (message instanceof Failure failure) {
            fail(current, failure);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    private void onHead(Exchange current, HttpResponse response) {
        Failure failure = ResponseReader.judge(response, current.isUpgrade());
        if (failure != null) {
            fail(current, failure);
            return;
        }
        ResponseHead head = ResponseReader.read(response, toHead);
        long readyNs = decoder.firstByteNs();
        if (head.isInterim()) {
            decoder.expectAnother();
        } else {
            headSeen = true;
            keepAlive = ResponseReader.isKeptAlive(response);
            closeDelimited = ResponseReader.isCloseDelimited(head);
            deadline.set(bodyIdleNs);
        }
        current.response(head, readyNs);
    }

    private void onContent(Exchange current, HttpContent content) {
        if (content.decoderResult().isFailure()) {
            content.release();
            fail(current, Failure.BAD_RESPONSE);
            return;
        }
        boolean last = content instanceof LastHttpContent;
        if (!headSeen) {
            // the end of an interim response
            content.release();
            return;
        }
        if (content.content().isReadable()) {
            deadline.set(bodyIdleNs);
            current.responseContent(content.content());
        } else {
            content.release();
        }
        if (last && closeDelimited && outputBroken) {
            // the reset that broke the output looks like an end to whoever reads on
            fail(current, Failure.BACKEND_CLOSED);
        } else if (last && exchange == current) {
            deadline.clear();
            ended = true;
            decoder.expectNothing();
            HttpHeaders trailers = ((LastHttpContent) content).trailingHeaders();
            current.responseEnd(trailers.isEmpty() ? null : trailers);
        }
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
        if (!headSeen || ended) {
            return;
        }
        if (wanted) {
            deadline.set(bodyIdleNs);
        } else {
            // the wait is for the client now
            deadline.clear();
        }
    }

    // ---- the end

    @Override
    public void release() {
        exchange = null;
        channel.config().setAutoRead(true);
        deadline.clear();
        // not even dispatched to, or done with in order
        if (isUsable() && (!headSeen || ended && keepAlive && requestEnded)) {
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
        } else if (!channel.isWritable() || headSeen) {
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
            loop.report("backend connection ended by ", cause);
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
