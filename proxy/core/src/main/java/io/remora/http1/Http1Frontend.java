package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import io.remora.exchange.Backend;
import io.remora.exchange.Exchange;
import io.remora.exchange.Frontend;
import io.remora.exchange.ListenerContext;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.FieldList;
import io.remora.http.Names;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.log.Log;
import io.remora.transport.Deadline;
import io.remora.transport.Drainable;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A client's HTTP/1 connection: one exchange at a time, in the order of the requests.
 *
 * <p>Owner: its channel's event loop. Bounds: {@link MessageQueue} for what is pipelined, the channel's water marks for what is
 * written, a deadline for every wait for the client.
 */
final class Http1Frontend extends ChannelInboundHandlerAdapter implements Frontend, Drainable, RequestDecoder.Gate {
    private final ListenerContext context;
    private final Channel channel;
    private final RequestDecoder decoder;
    private final ResponseWriter writer;
    private final Deadline deadline;
    private final WriteProgress progress;
    private final MessageQueue queue;
    private @Nullable String client;
    private @Nullable Exchange exchange;
    private boolean http11 = true;
    /** The last content of the request in progress has not been taken yet. */
    private boolean requestOpen;

    private boolean bodyWanted = true;
    private boolean keepAlive = true;
    private boolean taking;
    private boolean draining;
    private boolean inputClosed;
    /** What the client still sends cannot be a request that will be answered. */
    private boolean mustLinger;

    private boolean ending;
    private boolean awaitsHead;

    private Http1Frontend(ListenerContext context, Channel channel) {
        this.context = context;
        this.channel = channel;
        this.decoder = new RequestDecoder(this, context.loop(), context.config().limits());
        this.writer = new ResponseWriter(channel);
        this.deadline = context.loop().deadlines().add(this);
        this.progress = new WriteProgress(channel);
        this.queue = new MessageQueue(
                context.config().limits().pipelinedRequests(),
                context.config().limits().bufferBytes());
    }

    /** Fills the pipeline of an accepted channel. */
    static void install(ListenerContext context, Channel channel) {
        Http1Frontend frontend = new Http1Frontend(context, channel);
        channel.pipeline().addLast(frontend.decoder, frontend.writer.encoder(), frontend);
        frontend.deadline.set(context.config().timeouts().idleNs());
        context.stats().connectionsAccepted.increment();
    }

    // ---- what the client sends

    @Override
    public boolean isOpen() {
        Exchange current = exchange;
        return !ending && queue.hasRoom() && (current == null || requestOpen || !current.isUpgrade());
    }

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        if (ending) {
            ReferenceCountUtil.release(message);
            return;
        }
        queue.add(message);
        takeWhatCanBeTaken();
    }

    private void takeWhatCanBeTaken() {
        if (taking) {
            return;
        }
        taking = true;
        Object message = queue.peek();
        while (message != null && canTake(message)) {
            queue.poll();
            take(message);
            message = queue.peek();
        }
        taking = false;
    }

    // a request waits for the exchange before it, and for a client that reads its responses
    private boolean canTake(Object message) {
        // what the decoder makes of an invalid head is both a request and content
        boolean begins = message instanceof HttpRequest || message instanceof Failure;
        return !begins || exchange == null && !requestOpen && channel.isWritable();
    }

    private void take(Object message) {
        if (ending) {
            ReferenceCountUtil.release(message);
        } else if (message instanceof HttpRequest request) {
            begin(request);
        } else if (message instanceof HttpContent content) {
            takeContent(content);
        } else if (message instanceof Failure failure) {
            refuse(failure, null);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    private void begin(HttpRequest request) {
        deadline.clear();
        awaitsHead = false;
        RequestReader read = RequestReader.read(request, context.defaultAuthority());
        RequestHead head = read.head();
        if (head == null) {
            // the response to a HEAD has no content, whatever is wrong with it
            refuse(read.failure(), HttpMethod.HEAD.equals(request.method()) ? HttpMethod.HEAD : null);
            return;
        }
        http11 = HttpVersion.HTTP_1_1.equals(request.protocolVersion());
        keepAlive = http11 && !draining && !asksToClose(head);
        requestOpen = true;
        bodyWanted = true;
        writer.begin(head.isHead(), http11);
        Exchange begun = newExchange(head);
        begun.start();
        if (exchange == begun && head.bodyLength != BodyLength.NONE) {
            deadline.set(context.config().timeouts().bodyIdleNs());
        }
    }

    private static boolean asksToClose(RequestHead head) {
        if (!head.facts.hasConnection()) {
            return false;
        }
        for (String option : FieldList.elements(head.fields, Names.CONNECTION)) {
            if (Names.CLOSE.contentEqualsIgnoreCase(option)) {
                return true;
            }
        }
        return false;
    }

    private Exchange newExchange(RequestHead head) {
        Exchange begun =
                new Exchange(context, this, head, http11, decoder.startedNs(), decoder.readyNs(), decoder.carriedNs());
        exchange = begun;
        return begun;
    }

    private void takeContent(HttpContent content) {
        Exchange current = exchange;
        boolean last = content instanceof LastHttpContent;
        if (content.decoderResult().isFailure()) {
            content.release();
            requestOpen = false;
            mustLinger = true;
            if (current != null) {
                current.fail(Failure.BAD_REQUEST);
            }
            return;
        }
        requestOpen &= !last;
        if (current == null) {
            content.release();
            return;
        }
        if (content.content().isReadable()) {
            current.requestContent(content.content());
        } else {
            content.release();
        }
        if (last) {
            endRequest(current, ((LastHttpContent) content).trailingHeaders());
        } else if (exchange == current && bodyWanted) {
            deadline.set(context.config().timeouts().bodyIdleNs());
        }
    }

    private void endRequest(Exchange current, HttpHeaders trailers) {
        if (exchange != current) {
            return;
        }
        if (trailers.size() > context.config().limits().headerFields()) {
            mustLinger = true;
            current.fail(Failure.HEADERS_TOO_LARGE);
            return;
        }
        if (channel.isWritable()) {
            deadline.clear();
        }
        current.requestEnd(trailers.isEmpty() ? null : trailers);
    }

    private void refuse(Failure failure, @Nullable HttpMethod method) {
        keepAlive = false;
        mustLinger = true;
        requestOpen = false;
        http11 = true;
        writer.begin(method != null, true);
        newExchange(RequestReader.unreadable(method)).refuse(failure);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext at) {
        settle();
    }

    // what is left to do when a turn of work is over, whatever brought it about
    private void settle() {
        Exchange current = exchange;
        if (current != null && inputClosed && queue.isEmpty() && !current.isRequestEnded()) {
            // RFC 9112 8: a message cut short is incomplete
            current.fail(Failure.BAD_REQUEST);
        } else if (current != null) {
            current.flushRequest();
        } else if (!ending) {
            settleIdle();
        }
        readAsWanted();
    }

    private void readAsWanted() {
        boolean wanted = ending || isOpen() && (!requestOpen || bodyWanted);
        if (channel.config().isAutoRead() != wanted) {
            channel.config().setAutoRead(wanted);
        }
    }

    private void settleIdle() {
        if (inputClosed && queue.isEmpty()) {
            // bytes that the decoder still holds are a head that will never be whole
            end();
        } else if (!awaitsHead && decoder.hasPartialHead()) {
            awaitsHead = true;
            deadline.set(context.config().timeouts().headerReadNs());
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext at, Object event) {
        if (!(event instanceof ChannelInputShutdownEvent)) {
            return;
        }
        inputClosed = true;
        if (ending) {
            writer.inputEnded();
        } else {
            settle();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext at) {
        context.stats().connectionsClosed.increment();
        ending = true;
        deadline.cancel();
        queue.release();
        Exchange current = exchange;
        if (current != null) {
            current.fail(Failure.CLIENT_GONE);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        if (!(cause instanceof IOException)) {
            Log.error("frontend connection ended by " + cause);
            Exchange current = exchange;
            if (current != null) {
                current.fail(Failure.INTERNAL);
            }
        }
        channel.close();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext at) {
        boolean writable = channel.isWritable();
        if (writable) {
            deadline.clear();
        } else {
            progress.mark();
            deadline.set(context.config().timeouts().bodyIdleNs());
        }
        Exchange current = exchange;
        if (current != null) {
            current.frontendWritable(writable);
        } else if (writable) {
            goOn();
        }
    }

    // ---- what the exchange says

    @Override
    public String client() {
        if (client == null) {
            client = ((InetSocketAddress) channel.remoteAddress()).getAddress().getHostAddress();
        }
        return client;
    }

    @Override
    public String version() {
        return http11 ? "HTTP/1.1" : "HTTP/1.0";
    }

    @Override
    public void respondInterim(ResponseHead head) {
        // RFC 9110 15.2: never to an HTTP/1.0 client
        if (http11) {
            writer.writeInterim(head);
        }
    }

    @Override
    public void respond(ResponseHead head, boolean last) {
        keepAlive &= !last && !draining;
        writer.writeHead(head, keepAlive);
    }

    @Override
    public void respondContent(ByteBuf content) {
        writer.writeContent(content);
    }

    @Override
    public void respondEnd(@Nullable HttpHeaders trailers) {
        writer.writeEnd(trailers);
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
    public void readBody(boolean wanted) {
        bodyWanted = wanted;
        if (requestOpen && channel.isWritable()) {
            if (wanted) {
                deadline.set(context.config().timeouts().bodyIdleNs());
            } else {
                // the wait is for the backend now
                deadline.clear();
            }
        }
        readAsWanted();
    }

    @Override
    public void abort() {
        keepAlive = false;
        ending = true;
        writer.cut();
    }

    @Override
    public void exchangeDone() {
        Exchange done = exchange;
        exchange = null;
        if (ending) {
            return;
        }
        if (!keepAlive) {
            mustLinger |= done != null && !done.isRequestEnded();
            end();
            return;
        }
        deadline.set(
                progress.isPending()
                        ? context.config().timeouts().bodyIdleNs()
                        : context.config().timeouts().idleNs());
        goOn();
    }

    @Override
    public void openTunnel(Exchange current, ResponseHead head, Backend backend) {
        deadline.cancel();
        exchange = null;
        ending = true;
        writer.writeInterim(head);
        // no encoder may stand in the way of the first raw byte, and each end must know the other before it
        channel.pipeline().remove(writer.encoder());
        Tunnel tunnel = new Tunnel(context, current);
        tunnel.open(channel, backend.channel());
        backend.leaveHttp(tunnel.backend());
        // what the decoder still holds goes to the handler that takes its place
        channel.pipeline().replace(decoder, null, tunnel.frontend());
        backend.flush();
        channel.config().setAutoRead(true);
    }

    // takes what is pipelined; within a read the read does it itself
    private void goOn() {
        if (taking) {
            return;
        }
        takeWhatCanBeTaken();
        decoder.resume();
        settle();
    }

    // ---- the end

    @Override
    public void onDeadline() {
        Exchange current = exchange;
        if (ending) {
            channel.close();
        } else if (progress.isPending() && (current == null || !channel.isWritable())) {
            onWriteDeadline(current);
        } else if (current != null) {
            current.fail(Failure.REQUEST_BODY_TIMEOUT);
        } else if (awaitsHead) {
            refuse(Failure.HEADER_TIMEOUT, null);
        } else {
            channel.close();
        }
    }

    private void onWriteDeadline(@Nullable Exchange current) {
        if (progress.hasMoved()) {
            progress.mark();
            deadline.set(context.config().timeouts().bodyIdleNs());
        } else if (current != null) {
            current.fail(Failure.CLIENT_STALLED);
        } else {
            channel.close();
        }
    }

    @Override
    public void drain() {
        draining = true;
        keepAlive = false;
        if (exchange == null && queue.isEmpty() && !decoder.hasPartialHead() && !ending) {
            end();
        }
    }

    @Override
    public void cut() {
        Exchange current = exchange;
        if (current != null) {
            current.fail(Failure.CUT);
        }
        channel.close();
    }

    private void end() {
        ending = true;
        mustLinger |= decoder.hasWaiting() || !queue.isEmpty();
        queue.release();
        decoder.discard();
        deadline.set(
                mustLinger
                        ? ResponseWriter.LINGER_NS
                        : context.config().timeouts().bodyIdleNs());
        writer.end(mustLinger && !inputClosed);
        channel.config().setAutoRead(true);
    }
}
