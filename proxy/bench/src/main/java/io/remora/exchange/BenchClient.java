package io.remora.exchange;

import io.netty.buffer.ByteBuf;
import io.remora.seams.SilentFrontend;

/** The client's side of one exchange after the other. */
final class BenchClient extends SilentFrontend {
    long bytes;
    long ended;

    @Override
    public void respondContent(ByteBuf content) {
        bytes += content.readableBytes();
        content.release();
    }

    @Override
    public void exchangeDone() {
        ended++;
    }
}
