package io.remora.transport;

import io.netty.channel.Channel;
import io.netty.channel.nio.AbstractNioChannel;
import io.remora.memory.NativePages;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.spi.SelectorProvider;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Descriptors of sockets that one process hands to another, and other calls on Unix sockets that the JDK lacks. The
 * runtime images have the library for it, which the JDK alone has not.
 *
 * <p>Thread safe. Loaded only for a takeover, inherited sockets, or a service manager.
 */
public final class Descriptors {
    private Descriptors() {}

    /** Tells if the native library for this is there. */
    public static boolean isThere() {
        return NativePages.isThere();
    }

    /** Returns why the library is missing, as the end of a sentence. */
    public static String whyNot() {
        return NativePages.whyNot();
    }

    /**
     * The channel over a socket that is listened on, which it owns from now on.
     *
     * @throws IOException where the descriptor is none; it is closed then
     */
    public static ServerSocketChannel listening(int descriptor) throws IOException {
        try {
            return channel(
                    descriptor, SelectorProvider.provider(), StandardProtocolFamily.INET6, StandardProtocolFamily.UNIX);
        } catch (IOException | LinkageError e) {
            close(descriptor);
            throw e instanceof IOException io
                    ? io
                    : new IOException("this JDK takes no sockets from elsewhere: " + e, e);
        }
    }

    /** The JDK's channel below one of Netty's. */
    public static SelectableChannel below(Channel channel) {
        if (channel.unsafe() instanceof AbstractNioChannel.NioUnsafe nio) {
            return nio.ch();
        }
        throw new IllegalStateException("no channel of NIO");
    }

    /** Writes a text, and with it a descriptor where one is passed, which stays the sender's as well. */
    public static void write(SelectableChannel to, String text, @Nullable SelectableChannel passed) throws IOException {
        write(to, text.getBytes(StandardCharsets.UTF_8), passed);
    }

    /** Tells a service manager by one datagram; a name that begins with an @ is an abstract one. */
    public static void notify(String name, String text) throws IOException {
        tell(name.getBytes(StandardCharsets.UTF_8), text.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * Reads once.
     *
     * @param descriptors that came with it, of which the first {@code counted[0]} are set
     * @return how many octets, 0 where none came for so long, -1 at the end
     */
    public static native int read(
            SelectableChannel from, byte[] octets, int[] descriptors, int[] counted, int patienceMs) throws IOException;

    /** Tells if the process at the other end of a Unix socket runs as this process's user, or as root. */
    public static native boolean isOwn(SelectableChannel channel);

    /** Closes a descriptor that no channel owns. */
    public static native void close(int descriptor);

    private static native ServerSocketChannel channel(
            int descriptor, SelectorProvider provider, StandardProtocolFamily inet, StandardProtocolFamily unix)
            throws IOException;

    private static native void write(SelectableChannel to, byte[] text, @Nullable SelectableChannel passed)
            throws IOException;

    private static native void tell(byte[] name, byte[] text) throws IOException;
}
