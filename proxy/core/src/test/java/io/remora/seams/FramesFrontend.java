package io.remora.seams;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.remora.exchange.Exchange;
import io.remora.exchange.Frontend;
import io.remora.exchange.ListenerLoop;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.metrics.ListenerMetric;
import io.remora.transport.Acceptor;
import io.remora.transport.Drainable;
import io.remora.transport.Link;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Speaks {@link Frame}s on accepted connections: each stream has an exchange of its own. Owner: one event loop. */
public final class FramesFrontend implements Acceptor.Protocol {
    private final ListenerLoop listener;

    public FramesFrontend(ListenerLoop listener) {
        this.listener = listener;
    }

    @Override
    public void accept(Link link) {
        Many connection = new Many(link);
        link.channel().pipeline().addLast(connection);
        listener.connections().add(connection);
        listener.stats().increment(ListenerMetric.FRONTEND_ACCEPTED);
    }

    private final class Many extends FrameHandler implements Drainable {
        private final Link link;
        private final Map<Integer, One> streams = new TreeMap<>();
        private int last;
        private boolean draining;

        Many(Link link) {
            super(link.channel());
            this.link = link;
        }

        private List<One> all() {
            return new ArrayList<>(streams.values());
        }

        @Override
        void frame(Frame frame) {
            if (frame.type() == Frame.Type.HEAD) {
                begin(frame);
                return;
            }
            One stream = streams.get(frame.stream());
            if (stream != null) {
                stream.frame(frame);
            }
        }

        private void begin(Frame frame) {
            if (draining) {
                // its GOAWAY is on the way to the client
                return;
            }
            last = frame.stream();
            One stream = new One(this, frame.stream());
            streams.put(frame.stream(), stream);
            stream.begin(request(frame));
        }

        private RequestHead request(Frame frame) {
            String[] line = frame.text().split("\n")[0].split(" ");
            long length = Long.parseLong(line[3]);
            Fields fields = Frame.fields(frame.text(), 1);
            if (length > 0) {
                fields.set(FieldName.CONTENT_LENGTH, line[3]);
            }
            return new FramesRequest(line, fields, length);
        }

        @Override
        void readComplete() {
            for (One stream : all()) {
                stream.flushRequest();
            }
        }

        @Override
        void writabilityChanged() {
            for (One stream : all()) {
                stream.tellWritable();
            }
        }

        @Override
        void closed() {
            listener.connections().remove(this);
            listener.stats().increment(ListenerMetric.FRONTEND_CLOSED);
            for (One stream : all()) {
                stream.gone(Failure.CLIENT_GONE);
            }
        }

        void ended(One stream) {
            streams.remove(stream.number);
            stream.output.release();
            closeIfDrained();
        }

        @Override
        public void drain() {
            draining = true;
            write(Frame.goAway(last));
            channel().flush();
            closeIfDrained();
        }

        private void closeIfDrained() {
            if (draining && streams.isEmpty()) {
                channel().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
            }
        }

        @Override
        public void cut() {
            for (One stream : all()) {
                stream.gone(Failure.CUT);
            }
            channel().close();
        }
    }

    private static final class FramesRequest extends RequestHead {
        FramesRequest(String[] line, Fields fields, long length) {
            super(line[0], Octets.of(line[1]), Octets.of(line[2]), "frames", fields, length);
        }

        /** There are trailers for whoever wants them. */
        @Override
        public void leaveConnection() {
            takeTrailers();
        }
    }

    private final class One extends Frontend {
        private final Many connection;
        private final int number;
        private final FrameOutput output;
        private final FrameInput input;
        private @Nullable Exchange exchange;
        private boolean done;

        One(Many connection, int number) {
            this.connection = connection;
            this.number = number;
            this.output = new FrameOutput(connection, number);
            this.input = new FrameInput(connection, number);
        }

        void begin(RequestHead head) {
            long readyNs = listener.loop().readyNs();
            Exchange begun = new Exchange(listener, this, head, readyNs, readyNs, 0);
            exchange = begun;
            begun.start();
        }

        void frame(Frame frame) {
            Exchange current = exchange;
            switch (frame.type()) {
                case DATA -> {
                    if (current != null && !done) {
                        current.requestContent(Unpooled.wrappedBuffer(frame.payload()));
                    }
                    input.taken(frame.payload().length);
                }
                case END -> {
                    if (current != null) {
                        current.requestEnd(Frame.trailers(frame));
                    }
                }
                case RESET -> gone(Failure.CLIENT_GONE);
                case CREDIT -> credit(frame.octets());
                case HEAD, GOAWAY -> throw new AssertionError("not in a stream");
            }
        }

        private void credit(int octets) {
            if (output.credit(octets)) {
                tellWritable();
            }
            flush();
            endIfSent();
        }

        void flushRequest() {
            if (exchange != null) {
                exchange.flushRequest();
            }
        }

        void tellWritable() {
            if (exchange != null && !done) {
                exchange.frontendWritable(output.isWritable());
            }
        }

        void gone(Failure failure) {
            Exchange current = exchange;
            if (current != null && !done) {
                current.fail(failure);
            }
            connection.ended(this);
        }

        @Override
        public String client() {
            return connection.link.peerAddress();
        }

        @Override
        public String scheme() {
            return connection.link.scheme();
        }

        @Override
        public String version() {
            return "frames";
        }

        @Override
        public void respondInterim(ResponseHead head) {
            write(head);
            flush();
        }

        @Override
        public void respond(ResponseHead head, boolean last) {
            write(head);
        }

        private void write(ResponseHead head) {
            StringBuilder text = new StringBuilder();
            text.append(head.status).append(' ').append(head.bodyLength()).append('\n');
            Frame.append(text, head.fields);
            connection.write(Frame.head(number, text.toString()));
        }

        @Override
        public void respondContent(ByteBuf content) {
            output.content(content);
        }

        @Override
        public void respondEnd(@Nullable Fields trailers) {
            output.end(trailers);
        }

        @Override
        public void flush() {
            connection.channel().flush();
        }

        @Override
        public boolean isWritable() {
            return output.isWritable();
        }

        @Override
        public void readBody(boolean wanted) {
            input.wanted(wanted);
        }

        @Override
        public void abort() {
            connection.write(Frame.reset(number));
            flush();
            connection.ended(this);
        }

        @Override
        public void exchangeDone() {
            done = true;
            endIfSent();
        }

        // a response may wait for credit when its exchange is over
        private void endIfSent() {
            if (done && output.isEnded()) {
                connection.ended(this);
            }
        }

        @Override
        public void openTunnel(ResponseHead head) {
            throw new AssertionError("no stream turns into a tunnel");
        }

        @Override
        public void tunnelOpened() {
            throw new AssertionError("no stream turns into a tunnel");
        }
    }
}
