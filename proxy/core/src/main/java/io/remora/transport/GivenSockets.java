package io.remora.transport;

import io.remora.config.model.Address;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sockets that are listened on already, which another process or a service manager has given to this one. A listener on
 * the address of one takes it instead of binding.
 *
 * <p>Owner: the thread that starts the sidecar. Loaded only where there are any.
 */
public final class GivenSockets {
    private final List<Given> left = new ArrayList<>();
    /**
     * Set where the giver is a sidecar, whose files of Unix sockets go with the listener. It has requests of its own
     * until this process is ready.
     */
    private final boolean takenOver;

    public GivenSockets(boolean takenOver) {
        this.takenOver = takenOver;
    }

    /** @param name by which it was given, which may be that of a listener */
    public void add(String name, ServerSocketChannel channel) {
        left.add(new Given(name, channel));
    }

    /**
     * Tells if they are another sidecar's, which answers on them until this one is ready, and whose files become this
     * one's.
     */
    public boolean takenOver() {
        return takenOver;
    }

    /** The socket for a listener: that of its address, or that of its name where the configuration leaves the port open; null for none. */
    public @Nullable ServerSocketChannel take(String name, Address address) throws IOException {
        ServerSocketChannel found = take(name, address, false);
        return found == null ? take(name, address, true) : found;
    }

    private @Nullable ServerSocketChannel take(String name, Address address, boolean byName) throws IOException {
        for (Iterator<Given> all = left.iterator(); all.hasNext(); ) {
            Given given = all.next();
            if (byName ? isNamed(given, name, address) : isAt(given.channel.getLocalAddress(), address)) {
                all.remove();
                return given.channel;
            }
        }
        return null;
    }

    // a service manager's name is enough, as its own configuration says where; a predecessor's has to be on some port
    // as well
    private boolean isNamed(Given given, String name, Address address) throws IOException {
        boolean sameKind = given.channel.getLocalAddress() instanceof InetSocketAddress != address.isUnix();
        return given.name.equals(name) && sameKind && (!takenOver || !address.isUnix() && address.port() == 0);
    }

    private static boolean isAt(SocketAddress bound, Address wanted) {
        if (bound instanceof UnixDomainSocketAddress unix) {
            String path = unix.getPath().toString();
            return wanted.isUnix()
                    && (path.equals(wanted.host()) || path.equals(SocketFile.temporaryOf(wanted.host())));
        }
        if (wanted.isUnix() || !(bound instanceof InetSocketAddress inet) || inet.getPort() != wanted.port()) {
            return false;
        }
        InetSocketAddress address = new InetSocketAddress(wanted.host(), wanted.port());
        boolean anywhere = !address.isUnresolved() && address.getAddress().isAnyLocalAddress();
        return anywhere ? inet.getAddress().isAnyLocalAddress() : inet.equals(address);
    }

    /** Closes those that nobody has taken, and says how they were called. */
    public List<String> closeRest() throws IOException {
        List<String> names = new ArrayList<>();
        for (Given given : left) {
            names.add(given.name);
            given.channel.close();
        }
        left.clear();
        return names;
    }

    private record Given(String name, ServerSocketChannel channel) {}
}
