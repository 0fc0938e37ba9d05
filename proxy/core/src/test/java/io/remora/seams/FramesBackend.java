package io.remora.seams;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.remora.config.ClusterConfig;
import io.remora.http.BodyLength;
import io.remora.http.Failure;
import io.remora.http.FieldName;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.pool.Connection;
import io.remora.pool.EndpointPool;
import io.remora.pool.Protocol;
import io.remora.stream.BackendStream;
import io.remora.stream.StreamClient;
import io.remora.transport.Deadline;
import io.remora.transport.Link;
import io.remora.transport.Loop;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Speaks {@link Frame}s to endpoints, many streams on a connection. Owner: one event loop. */
public final class FramesBackend implements Protocol {
    private final ClusterConfig config;
    private final Loop loop;
    private final int expectedStreams;
    private final int maxStreams;

    /**
     * @param expectedStreams of a connection, as they are expected before there is one
     * @param maxStreams that it turns out to carry
     */
    public FramesBackend(ClusterConfig config, Loop loop, int expectedStreams, int maxStreams) {
        this.config = config;
        this.loop = loop;
        this.expectedStreams = expectedStreams;
        this.maxStreams = maxStreams;
    }

    @Override
    public Connection begin(Link link, EndpointPool pool) {
        Many connection = new Many(link, pool);
        link.channel().pipeline().addLast(connection.frames);
        return connection;
    }

    @Override
    public int expectedStreams() {
        return expectedStreams;
    }

    private final class Many extends Connection implements Deadline.Expirable {
        private final Link link;
        private final EndpointPool pool;
        private final Frames frames;
        private final Deadline idle;
        private final Map<Integer, One> streams = new TreeMap<>();
        private int last;
        private boolean goingAway;

        Many(Link link, EndpointPool pool) {
            this.link = link;
            this.pool = pool;
            this.frames = new Frames(this);
            this.idle = loop.deadlines().add(this);
        }

        @Override
        protected int maxStreams() {
            return goingAway ? 0 : maxStreams;
        }

        @Override
        protected boolean isFit() {
            if (goingAway || !link.channel().isActive()) {
                return false;
            }
            link.readNow();
            return !goingAway && link.channel().isActive();
        }

        @Override
        protected BackendStream newStream(StreamClient client) {
            idle.clear();
            One stream = new One(this, ++last, client);
            streams.put(last, stream);
            return stream;
        }

        @Override
        protected void onIdle() {
            idle.set(config.idleNs());
        }

        @Override
        public void onDeadline() {
            link.channel().close();
        }

        @Override
        public void close() {
            goingAway = true;
            if (streams.isEmpty()) {
                link.channel().close();
            }
        }

        List<One> all() {
            return new ArrayList<>(streams.values());
        }

        void frame(Frame frame) {
            if (frame.type() == Frame.Type.GOAWAY) {
                goAway(frame.stream());
                return;
            }
            One stream = streams.get(frame.stream());
            // what is left of one that was reset goes nowhere
            if (stream != null) {
                stream.frame(frame);
            }
        }

        private void goAway(int served) {
            goingAway = true;
            if (streams.isEmpty()) {
                link.channel().close();
            }
            for (One stream : all()) {
                if (stream.number > served) {
                    stream.broken(Failure.STREAM_REFUSED);
                }
            }
        }

        void ended(One stream) {
            streams.remove(stream.number);
            pool.streamEnded(this, link.channel().isActive());
        }

        void closed() {
            goingAway = true;
            idle.cancel();
            for (One stream : all()) {
                stream.broken(Failure.BACKEND_CLOSED);
            }
            pool.closed(this);
        }
    }

    private final class Frames extends FrameHandler {
        private final Many connection;

        Frames(Many connection) {
            super(connection.link.channel());
            this.connection = connection;
        }

        @Override
        void frame(Frame frame) {
            connection.frame(frame);
        }

        @Override
        void readComplete() {
            for (One stream : connection.all()) {
                stream.readComplete();
            }
        }

        @Override
        void writabilityChanged() {
            for (One stream : connection.all()) {
                stream.tellWritable();
            }
        }

        @Override
        void closed() {
            connection.closed();
        }
    }

    private final class One extends BackendStream {
        private final Many connection;
        private final int number;
        private final FrameOutput output;
        private final FrameInput input;
        private @Nullable StreamClient client;
        private boolean sent;
        private boolean answered;
        private boolean over;

        One(Many connection, int number, StreamClient client) {
            this.connection = connection;
            this.number = number;
            this.client = client;
            this.output = new FrameOutput(connection.frames, number);
            this.input = new FrameInput(connection.frames, number);
        }

        @Override
        public boolean isReused() {
            return number > 1;
        }

        @Override
        public void send(RequestHead head) {
            sent = true;
            StringBuilder text = new StringBuilder();
            text.append(head.method).append(' ').append(head.target).append(' ').append(head.authority);
            text.append(' ').append(head.bodyLength()).append('\n');
            Frame.append(text, head.fields);
            connection.frames.write(Frame.head(number, text.toString()));
            if (head.bodyLength() == BodyLength.NONE) {
                output.end(null);
            }
        }

        @Override
        public void content(ByteBuf content) {
            output.content(content);
        }

        @Override
        public void end(@Nullable Fields trailers) {
            output.end(trailers);
        }

        @Override
        public void flush() {
            connection.frames.channel().flush();
        }

        @Override
        public boolean isWritable() {
            return output.isWritable();
        }

        @Override
        public void read(boolean wanted) {
            input.wanted(wanted);
        }

        @Override
        public void openTunnel() {
            throw new AssertionError("no stream turns into a tunnel");
        }

        void tellWritable() {
            if (client != null) {
                client.writable(output.isWritable());
            }
        }

        void frame(Frame frame) {
            StreamClient told = client;
            if (told == null) {
                return;
            }
            switch (frame.type()) {
                case HEAD -> told.response(head(frame), loop.readyNs());
                case DATA -> {
                    told.content(Unpooled.wrappedBuffer(frame.payload()));
                    input.taken(frame.payload().length);
                }
                case END -> {
                    over = true;
                    told.end(Frame.trailers(frame));
                }
                case RESET -> broken(Failure.BACKEND_CLOSED);
                case CREDIT -> {
                    if (output.credit(frame.octets())) {
                        tellWritable();
                    }
                    flush();
                }
                case GOAWAY -> throw new AssertionError("not of a stream");
            }
        }

        private ResponseHead head(Frame frame) {
            answered = true;
            String[] line = frame.text().split("\n")[0].split(" ");
            int status = Integer.parseInt(line[0]);
            long length = Long.parseLong(line[1]);
            Fields fields = Frame.fields(frame.text(), 1);
            if (length > 0) {
                fields.set(FieldName.CONTENT_LENGTH, line[1]);
            }
            return new ResponseHead(status, null, fields, length, "frames");
        }

        void readComplete() {
            if (client != null) {
                client.readComplete();
            }
        }

        void broken(Failure failure) {
            StreamClient told = client;
            if (told != null) {
                over = true;
                end(false);
                told.broken(failure, answered);
            }
        }

        @Override
        public void release() {
            end(true);
        }

        @Override
        public void reset() {
            end(true);
        }

        private void end(boolean tell) {
            if (client == null) {
                return;
            }
            client = null;
            output.release();
            if (tell && sent && !(over && output.isEnded())) {
                connection.frames.write(Frame.reset(number));
                flush();
            }
            connection.ended(this);
        }
    }
}
