package io.remora.http1;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.ReferenceCountUtil;
import io.remora.exchange.Backend;
import io.remora.exchange.Exchange;
import io.remora.exchange.ListenerContext;
import io.remora.http.Failure;
import io.remora.http.ResponseHead;
import io.remora.http1.ClientWait.Phase;
import io.remora.metrics.ListenerMetric;
import io.remora.transport.Drainable;
import java.io.IOException;

/**
 * A client's HTTP/1 connection: when it reads, for what it waits, and when it ends.
 *
 * <p>Owner: its channel's event loop. Bounds: {@link RequestIntake} for what is pipelined, the channel's water marks
 * for what is written, {@link ClientWait} for every wait for the client.
 */
final class Http1Frontend extends ChannelInboundHandlerAdapter implements Drainable, RequestDecoder.Gate {
    private final ListenerContext context;
    private final Channel channel;
    private final RequestDecoder decoder;
    private final ResponseWriter writer;
    private final RequestIntake intake;
    private final ClientWait wait;
    private boolean draining;
    private boolean inputClosed;
    /** What the client still sends cannot be a request that will be answered. */
    private boolean mustLinger;

    private boolean ending;

    private Http1Frontend(ListenerContext context, Channel channel) {
        this.context = context;
        this.channel = channel;
        this.decoder = new RequestDecoder(this, context.loop(), context.config().limits());
        this.writer = new ResponseWriter(this, channel);
        this.intake = new RequestIntake(this, context, channel, decoder, writer);
        this.wait = new ClientWait(context.config().timeouts(), context.loop().deadlines(), this, channel);
    }

    /** Fills the pipeline of an accepted channel. */
    static void install(ListenerContext context, Channel channel) {
        Http1Frontend frontend = new Http1Frontend(context, channel);
        channel.pipeline().addLast(frontend.decoder, frontend.writer.encoder(), frontend);
        frontend.wait.forRequest();
        context.stats().increment(ListenerMetric.FRONTEND_ACCEPTED);
    }

    // ---- what the client sends

    @Override
    public boolean isOpen() {
        return !ending && intake.hasRoom();
    }

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        if (ending) {
            ReferenceCountUtil.release(message);
        } else {
            intake.add(message);
        }
    }

    boolean isEnding() {
        return ending;
    }

    boolean isDraining() {
        return draining;
    }

    /** What the client still sends cannot be a request that will be answered. */
    void linger() {
        mustLinger = true;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext at) {
        settle();
    }

    // what is left to do when a turn of work is over, whatever brought it about
    private void settle() {
        Exchange current = intake.exchange();
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
        boolean wanted = ending || (isOpen() ? !intake.isOpen() || intake.isBodyWanted() : decoder.mayReadAhead());
        if (channel.config().isAutoRead() != wanted) {
            channel.config().setAutoRead(wanted);
        }
    }

    private void waitAsDue() {
        Exchange current = intake.exchange();
        if (ending) {
            return;
        }
        if (!channel.isWritable() || current == null && wait.isReaderBehind()) {
            wait.forReader();
        } else if (current == null && decoder.hasPartialHead()) {
            wait.forHead();
        } else if (current == null) {
            wait.forRequest();
        } else if (intake.isOpen() && intake.isBodyWanted() && !current.isRequestEnded()) {
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
        context.stats().increment(ListenerMetric.FRONTEND_CLOSED);
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
        Exchange current = intake.exchange();
        if (current != null) {
            current.fail(failure);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext at) {
        Exchange current = intake.exchange();
        if (current != null) {
            current.frontendWritable(channel.isWritable());
            waitAsDue();
        } else if (channel.isWritable()) {
            goOn();
        }
    }

    // ---- what the exchange wants

    void readBody(boolean wanted) {
        if (intake.wantBody(wanted)) {
            readAsWanted();
            waitAsDue();
        }
    }

    /** A response is about to be cut. */
    void aborted() {
        ending = true;
    }

    void exchangeDone() {
        Exchange done = intake.exchangeDone();
        if (ending) {
            return;
        }
        wait.forNothing();
        if (writer.isKeptAlive()) {
            goOn();
        } else {
            mustLinger |= done != null && !done.isRequestEnded();
            end();
        }
    }

    /** Sends the 101 and becomes one end of a tunnel to {@code backend}. */
    void openTunnel(Exchange current, ResponseHead head, Backend backend) {
        wait.cancel();
        intake.exchangeDone();
        ending = true;
        writer.respondInterim(head);
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
            intake.refuse(Failure.HEADER_TIMEOUT, null);
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
        writer.keepNoLonger();
        if (intake.exchange() == null && intake.isEmpty() && !decoder.hasPartialHead() && !ending) {
            end();
        }
    }

    @Override
    public void cut() {
        if (intake.exchange() == null && wait.isReaderBehind()) {
            // finished, but for what the client has not taken
            context.stats().increment(ListenerMetric.EXCHANGES_CUT);
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
