package io.remora.seams;

import io.netty.buffer.ByteBuf;
import io.remora.http.Fields;
import io.remora.http.RequestHead;
import io.remora.stream.BackendStream;
import org.jspecify.annotations.Nullable;

/** A stream that takes a request and stays silent. */
public class SilentStream extends BackendStream {
    private final boolean reused;

    public SilentStream(boolean reused) {
        this.reused = reused;
    }

    @Override
    public final boolean isReused() {
        return reused;
    }

    @Override
    public void send(RequestHead head) {}

    @Override
    public void content(ByteBuf content) {
        content.release();
    }

    @Override
    public void end(@Nullable Fields trailers) {}

    @Override
    public void flush() {}

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    public void read(boolean wanted) {}

    @Override
    public void openTunnel() {}

    @Override
    public void release() {}

    @Override
    public void reset() {}
}
