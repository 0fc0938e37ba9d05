package io.remora;

import io.remora.config.model.ProxyConfig;
import io.remora.log.Log;
import io.remora.memory.MemoryPlan;
import io.remora.process.ProcFile;
import io.remora.takeover.InheritedSockets;
import io.remora.takeover.Predecessor;
import io.remora.takeover.ServiceManager;
import io.remora.takeover.TakeoverClient;
import io.remora.takeover.TakeoverConfig;
import io.remora.takeover.TakeoverServer;
import io.remora.transport.GivenSockets;
import java.io.IOException;
import java.nio.channels.SelectableChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Both takeovers of this process: it takes sockets over from the process before it or from a service manager, and hands
 * them to the process after it.
 *
 * <p>Owner: the main thread. Loaded only where there is any of these.
 */
final class Takeover {
    private final ProxyConfig config;
    private final MemoryPlan plan;
    private final @Nullable ServiceManager manager;
    private @Nullable TakeoverClient before;
    private @Nullable GivenSockets inherited;
    private @Nullable TakeoverServer after;
    /** The process before this one serves on. */
    private boolean leftToOther;
    /** Tells if another process has the sockets as well. */
    private volatile boolean shared;

    Takeover(ProxyConfig config, MemoryPlan plan) {
        this.config = config;
        this.plan = plan;
        String socket = System.getenv(ServiceManager.SOCKET);
        this.manager = socket == null || socket.isEmpty() ? null : new ServiceManager(socket);
    }

    /**
     * Fetches the sockets that are there already, before anything is bound.
     *
     * @return whether the memory allows for it; where it does not, says so
     * @throws IOException where the process that is running hands nothing over
     */
    boolean begin(boolean takeover) throws IOException {
        Map<String, String> environment = System.getenv();
        TakeoverConfig asked = config.options().get(TakeoverConfig.TAKEOVER);
        if (takeover && asked != null) {
            before = TakeoverClient.begin(asked);
        }
        inherited = environment.containsKey(InheritedSockets.COUNT) ? InheritedSockets.of(environment) : null;
        if (before == null) {
            return true;
        }
        String problem = problem(plan, before.memoryBytes(plan.limit().identity()));
        if (problem != null) {
            giveUp();
            System.err.println("remora: " + problem);
            return false;
        }
        return true;
    }

    /** Returns the sockets that listeners take instead of binding; null for none. */
    @Nullable
    GivenSockets given() {
        return before == null ? inherited : before.sockets();
    }

    /** Returns why both processes exceed the limit during the takeover; null where they fit, or nothing is known. */
    static @Nullable String problem(MemoryPlan plan, long otherBytes) {
        long needed = plan.limit().peakBytes() + otherBytes;
        if (plan.limit().bytes() == 0 || otherBytes == 0 || needed <= plan.usableBytes()) {
            return null;
        }
        return "takeover: " + plan.limit().from() + " allows " + plan.limit().bytes()
                + " bytes; the running process takes " + otherBytes + " and this one "
                + plan.limit().peakBytes() + ", which is too much for both";
    }

    /**
     * Completes the takeover once everything is bound and warm: the process before this one drains, and this one
     * accepts. If this one is to end or drain already, it leaves everything to the other one.
     *
     * @throws IOException where the other one waits no longer, and goes on
     */
    void follow(Proxy proxy) throws IOException {
        if (before == null) {
            return;
        }
        if (proxy.endsEarly()) {
            Log.info("takeover: ending before ready; the running process keeps its sockets");
            leftToOther = true;
            giveUp();
            return;
        }
        before.ready();
        proxy.begin();
        before.accepting();
        before = null;
        try {
            proxy.path().listeners().adopt();
            proxy.admin().adopt();
        } catch (IOException e) {
            Log.warn("takeover: " + e.getMessage() + "; leaving the socket's file in place");
        }
    }

    private void giveUp() {
        if (before != null) {
            before.giveUp();
            before = null;
        }
    }

    /** The sidecar serves. */
    void ready(Proxy proxy) throws IOException {
        if (inherited != null) {
            for (String name : inherited.closeRest()) {
                Log.warn("takeover: inherited a socket without a listener; closing it"
                        + (name.isEmpty() ? "" : ": " + name));
            }
        }
        TakeoverConfig asked = config.options().get(TakeoverConfig.TAKEOVER);
        if (asked != null) {
            try {
                after = TakeoverServer.begin(asked, new Running(proxy, asked));
            } catch (IOException e) {
                // it serves, which matters more
                Log.warn(e.getMessage() + "; no other process can take over from this one");
            }
        }
        if (manager != null) {
            manager.ready();
        }
    }

    /** Ends the takeovers, as the sidecar ends. */
    void end() {
        if (after != null) {
            after.end();
        }
        // else the process that the manager looks after goes on
        if (manager != null && !leftToOther && !shared) {
            manager.stopping();
        }
    }

    /** The next process's view of this one. */
    private final class Running implements Predecessor {
        private final Proxy proxy;
        private final TakeoverConfig asked;

        Running(Proxy proxy, TakeoverConfig asked) {
            this.proxy = proxy;
            this.asked = asked;
        }

        @Override
        public boolean isServing() {
            return proxy.ready();
        }

        @Override
        public void whileUnchanged(Work work) throws IOException {
            proxy.path().whileUnchanged(work);
        }

        @Override
        public List<Socket> sockets() {
            List<Socket> sockets = new ArrayList<>();
            for (Map.Entry<String, SelectableChannel> socket :
                    proxy.admin().sockets().entrySet()) {
                sockets.add(new Socket(socket.getKey(), socket.getValue()));
            }
            proxy.path().listeners().sockets(sockets);
            return sockets;
        }

        @Override
        public long memoryBytes() {
            long resident = ProcFile.field(ProcFile.read("/proc/self/status"), "VmRSS:");
            return Math.max(plan.limit().peakBytes(), resident);
        }

        @Override
        public String limit() {
            return plan.limit().identity();
        }

        @Override
        public void share(boolean now) {
            shared = now;
            proxy.share(now);
        }

        @Override
        public void retire() {
            proxy.retire(asked.idleNs());
        }
    }
}
