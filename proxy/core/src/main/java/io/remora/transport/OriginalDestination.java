package io.remora.transport;

import io.netty.channel.Channel;
import io.netty.channel.nio.AbstractNioChannel;
import io.remora.memory.NativePages;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.SelectableChannel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Original destination of a redirected connection, from the kernel: SO_ORIGINAL_DST, and IP6T_SO_ORIGINAL_DST. The
 * runtime images have the library for it, which the JDK alone has not.
 *
 * <p>Thread safe. Loaded only where a cluster by original destination is configured.
 */
public final class OriginalDestination {
    private static final int LONGEST = 16;
    private static final int PORT_BITS = 16;
    private static final int PORT_MASK = 0xffff;

    private OriginalDestination() {}

    /** Tells if original destinations can be read at all. */
    public static boolean isThere() {
        return NativePages.isThere();
    }

    /** Null where the connection was not redirected, as far as the kernel knows: where it was to go is where it came. */
    static @Nullable InetSocketAddress of(Channel channel) {
        if (!isThere() || !channel.isOpen() || !(channel.unsafe() instanceof AbstractNioChannel.NioUnsafe nio)) {
            return null;
        }
        byte[] octets = new byte[LONGEST];
        int found = ask(nio.ch(), octets);
        if (found < 0) {
            return null;
        }
        try {
            InetAddress address = InetAddress.getByAddress(Arrays.copyOf(octets, found >> PORT_BITS));
            InetSocketAddress destination = new InetSocketAddress(address, found & PORT_MASK);
            return destination.equals(channel.localAddress()) ? null : destination;
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
    }

    private static native int ask(SelectableChannel channel, byte[] address);
}
