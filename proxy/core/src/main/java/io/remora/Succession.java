package io.remora;

import io.remora.config.ProxyConfig;
import io.remora.config.TakeoverConfig;
import io.remora.log.Log;
import io.remora.memory.MemoryPlan;
import io.remora.process.ProcFile;
import io.remora.takeover.HandOver;
import io.remora.takeover.InheritedSockets;
import io.remora.takeover.Predecessor;
import io.remora.takeover.ServiceManager;
import io.remora.takeover.TakeOver;
import io.remora.transport.GivenSockets;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What this process has from the one before it, or from a service manager, and what the one after it has from this one.
 *
 * <p>Owner: the main thread. Loaded only where there is any of these.
 */
final class Succession {
    private final ProxyConfig config;
    private final MemoryPlan plan;
    private final @Nullable ServiceManager manager;
    private @Nullable TakeOver before;
    private @Nullable GivenSockets inherited;
    private @Nullable HandOver after;
    private volatile boolean handedOver;

    Succession(ProxyConfig config, MemoryPlan plan) {
        this.config = config;
        this.plan = plan;
        String socket = System.getenv(ServiceManager.SOCKET);
        this.manager = socket == null || socket.isEmpty() ? null : new ServiceManager(socket);
    }

    /**
     * Before anything is bound: has listeners take the sockets that are there.
     *
     * @return whether the memory allows for it; where it does not, says so
     * @throws IOException where the process that is running hands nothing over
     */
    boolean begin(Assembly assembly, boolean takeover) throws IOException {
        Map<String, String> environment = System.getenv();
        GivenSockets sockets = null;
        TakeoverConfig asked = config.takeover();
        if (takeover && asked != null) {
            before = TakeOver.begin(asked);
        }
        if (before != null) {
            String problem = problem(plan, before.memoryBytes(plan.limit().from()));
            if (problem != null) {
                before.giveUp();
                System.err.println("remora: " + problem);
                return false;
            }
            sockets = before.sockets();
        } else if (environment.containsKey(InheritedSockets.COUNT)) {
            inherited = InheritedSockets.of(environment);
            sockets = inherited;
        }
        if (sockets != null) {
            assembly.give(sockets);
        }
        return true;
    }

    /** Why both processes do not fit the limit for the time of the takeover; null where they do, or nothing is known. */
    static @Nullable String problem(MemoryPlan plan, long otherBytes) {
        long needed = plan.limit().peakBytes() + otherBytes;
        if (plan.limit().bytes() == 0 || otherBytes == 0 || needed <= plan.usableBytes()) {
            return null;
        }
        return "takeover: " + plan.limit().from() + " allows " + plan.limit().bytes()
                + " bytes; the process that is running takes " + otherBytes + " and this one "
                + plan.limit().peakBytes() + ", which is too much for both at once";
    }

    /** The sidecar serves. */
    void ready(Proxy proxy) throws IOException {
        if (inherited != null) {
            for (String name : inherited.closeRest()) {
                Log.warn("a socket was inherited that nobody listens on" + (name.isEmpty() ? "" : ": " + name));
            }
        }
        if (before != null) {
            before.ready();
            before = null;
        }
        TakeoverConfig asked = config.takeover();
        if (asked != null) {
            try {
                after = HandOver.begin(asked, new Running(proxy, asked));
            } catch (IOException e) {
                // it serves, which matters more
                Log.warn(e.getMessage() + "; nobody can take over from this process");
            }
        }
        if (manager != null) {
            manager.ready();
        }
    }

    /** The sidecar ends. */
    void end() {
        if (after != null) {
            after.close();
        }
        if (manager != null && !handedOver) {
            manager.stopping();
        }
    }

    /** This process, as the next one sees it. */
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
        public List<Socket> sockets() {
            return proxy.sockets();
        }

        @Override
        public long memoryBytes() {
            long resident = ProcFile.field(ProcFile.read("/proc/self/status"), "VmRSS:");
            return Math.max(plan.limit().peakBytes(), resident);
        }

        @Override
        public String limitFrom() {
            return plan.limit().from();
        }

        @Override
        public void retire() {
            handedOver = true;
            proxy.retire(asked.idleNs());
        }
    }
}
