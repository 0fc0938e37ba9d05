package io.remora.seams;

import io.netty.buffer.ByteBuf;
import io.remora.exchange.Frontend;
import io.remora.http.Fields;
import io.remora.http.ResponseHead;
import org.jspecify.annotations.Nullable;

/** A client over HTTP/1.1 that takes whatever it is answered. */
public class SilentFrontend extends Frontend {
    @Override
    public String client() {
        return "10.244.1.17";
    }

    @Override
    public String scheme() {
        return "http";
    }

    @Override
    public String version() {
        return "HTTP/1.1";
    }

    @Override
    public void respondInterim(ResponseHead head) {}

    @Override
    public void respond(ResponseHead head, boolean last) {}

    @Override
    public void respondContent(ByteBuf content) {
        content.release();
    }

    @Override
    public void respondEnd(@Nullable Fields trailers) {}

    @Override
    public void flush() {}

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    public void readBody(boolean wanted) {}

    @Override
    public void abort() {}

    @Override
    public void exchangeDone() {}

    @Override
    public void openTunnel(ResponseHead head) {}

    @Override
    public void tunnelOpened() {}
}
