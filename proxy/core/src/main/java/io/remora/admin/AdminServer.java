package io.remora.admin;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.remora.config.model.Address;
import io.remora.config.model.AdminConfig;
import io.remora.config.model.HealthConfig;
import io.remora.config.model.Limits;
import io.remora.config.model.ListenerSecurity;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.SocketConfig;
import io.remora.transport.Binding;
import io.remora.transport.Descriptors;
import io.remora.transport.FileBinding;
import io.remora.transport.GivenSockets;
import io.remora.transport.Handshake;
import io.remora.transport.LoopEnd;
import io.remora.transport.LoopWatch;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.ServerSocketChannel;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The admin listener and, if configured, the health listener. They share a separate thread, so that scrapes do not
 * delay exchanges.
 *
 * <p>Owner: the proxy that started it. Order: must be started before the first listener binds, so that probes can
 * observe the start, and closed last.
 */
public final class AdminServer {
    private static final int BACKLOG = 64;
    private static final long CLOSE_MS = 1_000;
    /** The time a client has for each step: sending its request, reading the response, ending the connection. */
    private static final long STEP_NS = 10_000_000_000L;

    private final AdminThread thread = new AdminThread();
    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, thread, thread);
    /** Bound TCP sockets, by name. */
    private final Map<String, NioServerSocketChannel> ports = new LinkedHashMap<>();

    /** Null before the sidecar is ready. */
    private volatile @Nullable LoopWatch watch;

    private final @Nullable GivenSockets given;
    /** Null for a Unix socket. */
    private final @Nullable InetSocketAddress address;

    private final @Nullable InetSocketAddress healthAddress;
    /** Unix sockets, by name. */
    private final Map<String, FileBinding> files = new LinkedHashMap<>();

    /**
     * @param verifiedAgeNs for how long a connection is used whose client was verified when it was made
     */
    AdminServer(ProxyControl control, Handshake handshake, long stepNs, long verifiedAgeNs) throws IOException {
        this(control, handshake, stepNs, verifiedAgeNs, Viewers.PERIOD_NS, null);
    }

    /**
     * @param periodNs from one reading of the dashboard's figures to the next
     */
    AdminServer(
            ProxyControl control,
            Handshake handshake,
            long stepNs,
            long verifiedAgeNs,
            long periodNs,
            @Nullable GivenSockets given)
            throws IOException {
        this.given = given;
        AdminConfig config = control.config().admin();
        HealthConfig health = control.config().health();
        try {
            ListenerSecurity tls = config.tls();
            boolean verifies = tls != null && tls.asksForCertificates();
            long maxAgeNs = verifies ? verifiedAgeNs : Limits.UNLIMITED;
            long handshakeNs = tls == null ? 0 : tls.handshakeTimeoutNs();
            AdminPages pages = new AdminPages(control, this, stepNs, periodNs);
            AdminConnections connections = new AdminConnections(group, pages, stepNs, maxAgeNs, handshake, handshakeNs);
            SocketConfig socket = config.socket();
            address = socket == null
                    ? bind("admin", wanted(config), connections)
                    : bind("admin", config.address(), socket, connections);
            healthAddress = health == null ? null : bindHealth(health, healthPages(control, health, pages), stepNs);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    private Pages healthPages(ProxyControl control, HealthConfig health, AdminPages pages) {
        Pages own = new HealthPages(control, this, health.metrics() ? pages : null);
        return control.config().options().has(ProxyConfig.APP_PROBES)
                ? AppHealthPages.over(own, control.config())
                : own;
    }

    private static InetSocketAddress wanted(AdminConfig config) throws BindException {
        InetSocketAddress wanted = resolve("admin", config.address());
        if (!config.allowRemote() && !wanted.getAddress().isLoopbackAddress()) {
            throw new BindException("admin: " + config.address() + " is not a loopback address;"
                    + " admin.allow-remote: true would allow it");
        }
        return wanted;
    }

    private @Nullable InetSocketAddress bindHealth(HealthConfig health, Pages pages, long stepNs) throws BindException {
        AdminConnections connections = new AdminConnections(group, pages, stepNs, Limits.UNLIMITED, Handshake.NONE, 0);
        SocketConfig socket = health.socket();
        return socket == null
                ? bind("health", resolve("health", health.address()), connections)
                : bind("health", health.address(), socket, connections);
    }

    /**
     * Returns once both listeners accept connections.
     *
     * @param handshake that makes connections to the admin listener ready; those to the health listener are plain
     * @param given sockets that are listened on already; null for none. What another process answers on accepts nothing before {@link
     *     #begin}
     * @throws BindException naming the address that could not be bound
     */
    public static AdminServer start(ProxyControl control, Handshake handshake, @Nullable GivenSockets given)
            throws IOException {
        return new AdminServer(control, handshake, STEP_NS, Limits.VERIFIED_AGE_NS, Viewers.PERIOD_NS, given);
    }

    /** Starts the server without sockets from another process. */
    public static AdminServer start(ProxyControl control, Handshake handshake) throws IOException {
        return start(control, handshake, null);
    }

    private static InetSocketAddress resolve(String name, Address address) throws BindException {
        InetSocketAddress resolved = new InetSocketAddress(address.host(), address.port());
        if (resolved.isUnresolved()) {
            throw new BindException(name + ": " + address + ": no such host");
        }
        return resolved;
    }

    /** Binds to a Unix socket; returns null, as there is no address of the other kind. */
    private @Nullable InetSocketAddress bind(
            String name, Address path, SocketConfig socket, AdminConnections connections) throws BindException {
        try {
            FileBinding binding = FileBinding.of(name, path, socket, given);
            binding.channel().pipeline().addLast(connections);
            binding.bind(group);
            files.put(name, binding);
            return null;
        } catch (IOException e) {
            BindException failure = new BindException(name + ": " + path + ": " + e.getMessage());
            failure.initCause(e);
            throw failure;
        }
    }

    private InetSocketAddress bind(String name, InetSocketAddress address, AdminConnections connections)
            throws BindException {
        try {
            Address wanted = new Address(address.getHostString(), address.getPort());
            ServerSocketChannel open = given == null ? null : given.take(name, wanted);
            Binding binding = open == null ? new Binding() : new Binding(open);
            NioServerSocketChannel channel = binding.channel();
            channel.config().setBacklog(BACKLOG).setAllocator(UnpooledByteBufAllocator.DEFAULT);
            channel.pipeline().addLast(connections);
            if (open == null) {
                binding.bind(group, address);
            } else {
                channel.config().setAutoRead(given == null || !given.takenOver());
                Binding.open(group, channel);
            }
            ports.put(name, channel);
            return channel.localAddress();
        } catch (IOException e) {
            BindException failure = new BindException(
                    name + ": " + new Address(address.getHostString(), address.getPort()) + ": " + e.getMessage());
            failure.initCause(e);
            throw failure;
        }
    }

    /** Has the event loops watched from now on. */
    public void watch(LoopWatch loops) {
        watch = loops;
        group.scheduleWithFixedDelay(loops, LoopWatch.PERIOD_NS, LoopWatch.PERIOD_NS, TimeUnit.NANOSECONDS);
    }

    /** Returns the watchdog of the event loops, null until they run. */
    @Nullable
    LoopWatch watch() {
        return watch;
    }

    /** False while an event loop has stood still for too long. */
    boolean isLive() {
        LoopWatch watched = watch;
        return watched == null || watched.isLive();
    }

    // ---- from one process to another

    /** Begins to accept on sockets that another process has answered on until now. */
    public void begin() {
        for (NioServerSocketChannel port : ports.values()) {
            port.config().setAutoRead(true);
        }
        for (FileBinding file : files.values()) {
            file.begin();
        }
    }

    /** The files of Unix sockets that another process has left to this one go with this one from now on. */
    public void adopt() throws IOException {
        for (FileBinding file : files.values()) {
            file.adopt();
        }
    }

    /** The sockets that are listened on, by name. */
    public Map<String, SelectableChannel> sockets() {
        Map<String, SelectableChannel> sockets = new LinkedHashMap<>();
        for (Map.Entry<String, NioServerSocketChannel> port : ports.entrySet()) {
            sockets.put(port.getKey(), Descriptors.below(port.getValue()));
        }
        for (Map.Entry<String, FileBinding> file : files.entrySet()) {
            sockets.put(file.getKey(), file.getValue().socket());
        }
        return sockets;
    }

    /** Leaves the files of Unix sockets in place, as another process goes on with them. */
    public void handOver() {
        for (FileBinding file : files.values()) {
            file.handOver();
        }
    }

    /** Accepts nobody any more, as another process answers on the sockets now; connections stay. */
    public void closePorts() {
        for (NioServerSocketChannel port : ports.values()) {
            port.close().awaitUninterruptibly(CLOSE_MS);
        }
        for (FileBinding file : files.values()) {
            file.close();
        }
    }

    /** Null if it is a Unix socket. */
    public @Nullable InetSocketAddress address() {
        return address;
    }

    /** Null if no health listener is configured, or it is a Unix socket. */
    public @Nullable InetSocketAddress healthAddress() {
        return healthAddress;
    }

    /** Closes listeners and connections, waiting at most a second. Any thread may call this, repeatedly. */
    public void close() {
        for (FileBinding file : files.values()) {
            file.close();
        }
        LoopEnd.of(group.next(), thread.io());
        if (!group.next().inEventLoop()) {
            group.terminationFuture().awaitUninterruptibly(CLOSE_MS);
        }
    }
}
