package io.remora.http1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import io.remora.exchange.Backend;
import io.remora.exchange.Exchange;
import io.remora.exchange.Frontend;
import io.remora.exchange.ListenerContext;
import io.remora.http.Failure;
import io.remora.http.Persistence;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.http1.ClientWait.Phase;
import io.remora.transport.Drainable;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A client's HTTP/1 connection: one exchange at a time, in the order of the requests.
 *
 * <p>Owner: its channel's event loop. Bounds: {@link RequestIntake} for what is pipelined, the channel's water marks for what is
 * written, {@link ClientWait} for every wait for the client.
 */
final class Http1Frontend extends ChannelInboundHandlerAdapter implements Frontend, Drainable, RequestDecoder.Gate {
    private final ListenerContext context;
    private final Channel channel;
    private final RequestDecoder decoder;
    private final ResponseWriter writer;
    private final RequestIntake intake;
    private final ClientWait wait;
    private @Nullable String client;
    private @Nullable Exchange exchange;
    private boolean http11 = true;
    private boolean bodyWanted = true;
    private boolean keepAlive = true;
    private boolean draining;
    private boolean inputClosed;
    /** What the client still sends cannot be a request that will be answered. */
    private boolean mustLinger;

    private boolean ending;
    /** When the exchange before a request that was already there ended: until then it waited for its own client's order. */
    private long turnNs = Long.MIN_VALUE;

    private Http1Frontend(ListenerContext context, Channel channel) {
        this.context = context;
        this.channel = channel;
        this.decoder = new RequestDecoder(this, context.loop(), context.config().limits());
        this.writer = new ResponseWriter(channel);
        this.intake = new RequestIntake(this, channel, context.config().limits(), context.loop());
        this.wait = new ClientWait(context.config().timeouts(), context.loop().deadlines(), this, channel);
    }

    /** Fills the pipeline of an accepted channel. */
    static void install(ListenerContext context, Channel channel) {
        Http1Frontend frontend = new Http1Frontend(context, channel);
        channel.pipeline().addLast(frontend.decoder, frontend.writer.encoder(), frontend);
        frontend.wait.forRequest();
        context.stats().connectionsAccepted.increment();
    }

    // ---- what the client sends

    @Override
    public boolean isOpen() {
        Exchange current = exchange;
        return !ending && intake.hasRoom() && (current == null || intake.isOpen() || !current.isUpgrade());
    }

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        if (ending) {
            ReferenceCountUtil.release(message);
        } else {
            intake.add(message);
        }
    }

    void begin(HttpRequest request) {
        RequestReader read = RequestReader.read(request, context.defaultAuthority());
        RequestHead head = read.head();
        if (head == null) {
            // the response to a HEAD has no content, whatever is wrong with it
            refuse(read.failure(), HttpMethod.HEAD.equals(request.method()) ? HttpMethod.HEAD : null);
            return;
        }
        http11 = HttpVersion.HTTP_1_1.equals(request.protocolVersion());
        keepAlive = http11 && !draining && !(head.facts.hasConnection() && Persistence.asksToClose(head.fields));
        bodyWanted = true;
        writer.begin(head.isHead(), http11);
        newExchange(head).start();
    }

    private Exchange newExchange(RequestHead head) {
        boolean waited = turnNs - decoder.readyNs() > 0 && turnNs != Long.MIN_VALUE;
        Exchange begun = new Exchange(
                context,
                this,
                head,
                http11,
                waited ? turnNs : decoder.startedNs(),
                waited ? turnNs : decoder.readyNs(),
                waited ? 0 : decoder.carriedNs());
        exchange = begun;
        return begun;
    }

    /** Answers a request whose head cannot be read, and ends the connection. */
    void refuse(Failure failure, @Nullable HttpMethod method) {
        keepAlive = false;
        mustLinger = true;
        intake.close();
        http11 = true;
        writer.begin(method != null, true);
        newExchange(RequestReader.unreadable(method)).refuse(failure);
    }

    /** Ends an exchange whose request turned out broken behind its head, and the connection. */
    void breakOff(@Nullable Exchange current, Failure failure) {
        mustLinger = true;
        intake.close();
        if (current != null) {
            current.fail(failure);
        }
    }

    @Nullable
    Exchange exchange() {
        return exchange;
    }

    boolean isEnding() {
        return ending;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext at) {
        settle();
    }

    // what is left to do when a turn of work is over, whatever brought it about
    private void settle() {
        Exchange current = exchange;
        if (current != null && inputClosed && intake.isEmpty() && !current.isRequestEnded()) {
            // RFC 9112 8: a message cut short is incomplete
            current.fail(Failure.BAD_REQUEST);
        } else if (current != null) {
            current.flushRequest();
        } else if (!ending && inputClosed && intake.isEmpty()) {
            // bytes that the decoder still holds are a head that will never be whole
            end();
        }
        readAsWanted();
        waitAsDue();
    }

    // while no request may be decoded, one read goes ahead: only who reads learns that the client has reset
    private void readAsWanted() {
        boolean wanted = ending || (isOpen() ? !intake.isOpen() || bodyWanted : decoder.mayReadAhead());
        if (channel.config().isAutoRead() != wanted) {
            channel.config().setAutoRead(wanted);
        }
    }

    private void waitAsDue() {
        Exchange current = exchange;
        if (ending) {
            return;
        }
        if (!channel.isWritable() || current == null && wait.isReaderBehind()) {
            wait.forReader();
        } else if (current == null && decoder.hasPartialHead()) {
            wait.forHead();
        } else if (current == null) {
            wait.forRequest();
        } else if (intake.isOpen() && bodyWanted && !current.isRequestEnded()) {
            wait.forBody();
        } else {
            wait.forNothing();
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
        wait.cancel();
        intake.release();
        failExchange(Failure.CLIENT_GONE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext at, Throwable cause) {
        if (!(cause instanceof IOException)) {
            context.loop().report("frontend connection ended by ", cause);
            failExchange(Failure.INTERNAL);
        }
        channel.close();
    }

    private void failExchange(Failure failure) {
        Exchange current = exchange;
        if (current != null) {
            current.fail(failure);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext at) {
        Exchange current = exchange;
        if (current != null) {
            current.frontendWritable(channel.isWritable());
            waitAsDue();
        } else if (channel.isWritable()) {
            goOn();
        }
    }

    // ---- what the exchange says

    @Override
    public String client() {
        if (client == null) {
            String address =
                    ((InetSocketAddress) channel.remoteAddress()).getAddress().getHostAddress();
            // the zone of a link-local address means something on this machine only
            int zone = address.indexOf('%');
            client = zone < 0 ? address : address.substring(0, zone);
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
        if (bodyWanted != wanted) {
            bodyWanted = wanted;
            readAsWanted();
            waitAsDue();
        }
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
        wait.forNothing();
        if (!keepAlive) {
            mustLinger |= done != null && !done.isRequestEnded();
            end();
            return;
        }
        if (!intake.isEmpty() || decoder.hasWaiting()) {
            turnNs = context.loop().nowNs();
        }
        goOn();
    }

    @Override
    public void openTunnel(Exchange current, ResponseHead head, Backend backend) {
        wait.cancel();
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
        if (inputClosed) {
            channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        }
        backend.flush();
        channel.config().setAutoRead(true);
    }

    // takes what is pipelined; where messages are being taken already, that goes on by itself
    private void goOn() {
        if (intake.isTaking()) {
            return;
        }
        intake.takeAll();
        decoder.resume();
        settle();
    }

    // ---- the end

    @Override
    public void onDeadline() {
        Phase phase = wait.phase();
        wait.forNothing();
        if (phase == Phase.HEAD) {
            decoder.giveUpHead();
            refuse(Failure.HEADER_TIMEOUT, null);
        } else if (phase == Phase.BODY) {
            failExchange(Failure.REQUEST_BODY_TIMEOUT);
        } else if (phase == Phase.READER) {
            onReaderLate();
        } else {
            channel.close();
        }
    }

    private void onReaderLate() {
        if (!wait.isReaderBehind()) {
            // all is taken, below the mark that would have said so
            if (ending) {
                wait.forEnd();
            }
            waitAsDue();
        } else if (!wait.isReaderMoving()) {
            failExchange(Failure.CLIENT_STALLED);
            channel.close();
        }
    }

    @Override
    public void drain() {
        draining = true;
        keepAlive = false;
        if (exchange == null && intake.isEmpty() && !decoder.hasPartialHead() && !ending) {
            end();
        }
    }

    @Override
    public void cut() {
        if (exchange == null && wait.isReaderBehind()) {
            // finished, but for what the client has not taken
            context.stats().exchangesCut.increment();
        }
        failExchange(Failure.CUT);
        channel.close();
    }

    private void end() {
        ending = true;
        mustLinger |= decoder.hasWaiting() || !intake.isEmpty();
        intake.release();
        decoder.discard();
        wait.forReader();
        writer.end(mustLinger && !inputClosed);
        if (!wait.isReaderBehind()) {
            wait.forEnd();
        }
        channel.config().setAutoRead(true);
    }
}
