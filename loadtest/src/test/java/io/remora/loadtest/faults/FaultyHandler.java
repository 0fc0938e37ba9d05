package io.remora.loadtest.faults;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * Tells a fault of each request of the load, in front of everything that the sidecar has in a pipeline.
 *
 * <p>Owner: the one event loop of the data path. The load is told from whoever else asks, an operator for one, by the field that
 * only it sends; a head that comes in two reads is passed over.
 */
@Sharable
final class FaultyHandler extends ChannelInboundHandlerAdapter {
    private static final ByteBuf MARK = Unpooled.unreleasableBuffer(Unpooled.copiedBuffer("X-Probe: ", US_ASCII));

    private final Fault fault;

    FaultyHandler(Fault fault) {
        this.fault = fault;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        Fault.Fate fate = ByteBufUtil.indexOf(MARK, bytes) < 0 ? Fault.Fate.PASSED_ON : fault.fate();
        if (fate == Fault.Fate.PASSED_ON) {
            context.fireChannelRead(bytes);
            return;
        }
        bytes.release();
        if (fate == Fault.Fate.CUT) {
            context.close();
        }
    }
}
