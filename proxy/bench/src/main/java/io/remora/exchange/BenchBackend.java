package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;
import io.remora.seams.SilentStream;
import io.remora.stream.StreamClient;
import io.remora.stream.Target;
import io.remora.stream.Verdict;
import org.jspecify.annotations.Nullable;

/** An endpoint and its stream, which carries one exchange after the other. */
final class BenchBackend extends SilentStream implements Target {
    private @Nullable StreamClient client;
    long sent;
    long bytes;
    long released;
    long succeeded;

    BenchBackend() {
        super(true);
    }

    void serve(StreamClient next) {
        client = next;
        next.picked(this);
        next.ready(this);
    }

    void answer(ResponseHead head, ByteBuf content, long readyNs) {
        StreamClient to = client;
        if (to == null) {
            throw new IllegalStateException("no attempt was made");
        }
        to.response(head, readyNs);
        to.content(content);
        to.end(null);
        to.readComplete();
    }

    @Override
    public String name() {
        return "10.244.2.5:8080";
    }

    @Override
    public void ended(Verdict verdict, long latencyNs) {
        if (verdict == Verdict.SUCCESS) {
            succeeded++;
        }
    }

    @Override
    public void send(RequestHead head) {
        sent++;
    }

    @Override
    public void content(ByteBuf content) {
        bytes += content.readableBytes();
        content.release();
    }

    @Override
    public void release() {
        released++;
    }
}
