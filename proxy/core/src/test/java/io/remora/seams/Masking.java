package io.remora.seams;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Octets combined with a mask by exclusive or: in a pipeline, and for the peers of a test. */
public final class Masking extends ChannelDuplexHandler {
    private final int mask;

    public Masking(int mask) {
        this.mask = mask;
    }

    @Override
    public void channelRead(ChannelHandlerContext at, Object message) {
        at.fireChannelRead(masked(at, (ByteBuf) message));
    }

    @Override
    public void write(ChannelHandlerContext at, Object message, ChannelPromise promise) {
        at.write(masked(at, (ByteBuf) message), promise);
    }

    private ByteBuf masked(ChannelHandlerContext at, ByteBuf octets) {
        ByteBuf masked = at.alloc().buffer(octets.readableBytes());
        while (octets.isReadable()) {
            masked.writeByte(octets.readByte() ^ mask);
        }
        octets.release();
        return masked;
    }

    public static byte[] masked(byte[] octets, int mask) {
        byte[] masked = new byte[octets.length];
        for (int i = 0; i < octets.length; i++) {
            masked[i] = (byte) (octets[i] ^ mask);
        }
        return masked;
    }

    public static InputStream unmasking(InputStream in, int mask) {
        return new FilterInputStream(in) {
            @Override
            public int read() throws IOException {
                int octet = super.read();
                return octet < 0 ? octet : (octet ^ mask) & 0xff;
            }

            @Override
            public int read(byte[] into, int offset, int length) throws IOException {
                int count = super.read(into, offset, length);
                for (int i = offset; i < offset + count; i++) {
                    into[i] ^= (byte) mask;
                }
                return count;
            }
        };
    }
}
