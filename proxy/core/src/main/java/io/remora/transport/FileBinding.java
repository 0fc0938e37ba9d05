package io.remora.transport;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoopGroup;
import io.remora.config.SocketConfig;
import java.io.IOException;

/**
 * A Unix socket that is listened on, with its file, for whoever sets up what it accepts by itself. Loaded only for who has one.
 *
 * <p>Owner: whoever made it; not an event loop, as each step is waited for.
 */
public final class FileBinding {
    private final SocketFile file;

    private FileBinding(SocketFile file) {
        this.file = file;
    }

    /**
     * Binds it and starts accepting; the channel ends with its group.
     *
     * @param acceptor is given what is accepted
     * @throws IOException saying what is in the way; nothing is left then
     */
    public static FileBinding bind(EventLoopGroup group, String path, SocketConfig config, ChannelHandler acceptor)
            throws IOException {
        SocketFile file = SocketFile.at(path);
        Channel channel;
        try {
            channel = DomainSockets.newServer();
            channel.pipeline().addLast(acceptor);
            Binding.bind(group, channel, DomainSockets.address(file.temporary()));
        } catch (IOException | RuntimeException e) {
            file.abandon();
            throw e;
        }
        try {
            file.publish(config);
        } catch (IOException e) {
            channel.close().awaitUninterruptibly();
            throw e;
        }
        return new FileBinding(file);
    }

    /** Has an accepted channel tell of its peer's end as one of TCP does, and go on writing. */
    public static void settle(Channel accepted, int readBytes) {
        accepted.config().setRecvByteBufAllocator(new ReadBuffers(readBytes, DomainSockets.atEnd(accepted)));
        Link.allowHalfClosure(accepted);
    }

    /** Removes the file, unless another one has taken its place. */
    public void remove() {
        file.remove();
    }
}
