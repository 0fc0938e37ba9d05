package io.remora.profile;

import io.remora.flame.CallTree;
import io.remora.flame.FlameFormat;
import io.remora.flame.FlameHead;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.channels.Selector;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A program that takes profiles of itself while one thread allocates, two contend for a monitor, and others wait in the ways
 * that a sidecar's threads wait.
 */
final class Loiterer {
    private static final long NS_PER_MS = 1_000_000L;
    private static final int SHEET_BYTES = 200_000;
    /** Twelve numbers and the object's head, of 8 to 16 bytes. */
    private static final int CRATE_BYTES = 12 * Long.BYTES + 12;

    private static final Gate GATE = new Gate();
    private static final AtomicLong CRATES = new AtomicLong();
    private static final AtomicLong SHEETS = new AtomicLong();
    private static final AtomicLong WAITED_NS = new AtomicLong();
    private static final AtomicLong SELECTED = new AtomicLong();
    private static final AtomicLong LEAST_MS = new AtomicLong(Long.MAX_VALUE);
    private static volatile boolean ended;
    private static volatile String failure = "none";
    static volatile Object sink;

    private Loiterer() {}

    private static final class Crate {
        long a, b, c, d, e, f, g, h, i, j, k, l;
    }

    private static final class Gate {}

    /** The arguments are the kind, its rate, and milliseconds. */
    public static void main(String[] arguments) throws Exception {
        Thread[] all = {
            new Thread(Loiterer::allocate, "allocates"),
            new Thread(Loiterer::hold, "holds"),
            new Thread(Loiterer::enter, "enters"),
            new Thread(Loiterer::park, "parks"),
            new Thread(() -> select(0), "selects"),
            new Thread(() -> select(700), "selects-timed"),
            new Thread(Loiterer::accept, "accepts"),
        };
        for (Thread one : all) {
            one.setDaemon(true);
            one.start();
        }
        ProfileKind kind = ProfileKind.valueOf(arguments[0]);
        try (Profile profile = Profile.begin(kind, Integer.parseInt(arguments[1]))) {
            long crates = CRATES.get();
            long sheets = SHEETS.get();
            long waitedNs = WAITED_NS.get();
            CallTree tree = profile.run(Integer.parseInt(arguments[2]) * NS_PER_MS, (seconds, samples) -> {});
            System.out.println("crates " + (CRATES.get() - crates) * CRATE_BYTES);
            System.out.println("sheets " + (SHEETS.get() - sheets) * SHEET_BYTES);
            System.out.println("waited " + (WAITED_NS.get() - waitedNs));
            System.out.println("dropped " + profile.dropped());
            System.out.println("period " + profile.period());
            System.out.println("selected " + SELECTED.get());
            System.out.println("least " + LEAST_MS.get());
            System.out.println("failure " + failure);
            FlameFormat.COLLAPSED.write(tree, new FlameHead("", "", kind.measure(), 0, 0, 0), System.out);
        }
        ended = true;
    }

    /** Three quarters of the bytes are small objects. */
    private static void allocate() {
        while (!ended) {
            fillCrates();
            fillSheets();
            // 40 MB a second fit into the profiler's buffer, on a busy machine as well
            LockSupport.parkNanos(20 * NS_PER_MS);
        }
    }

    static void fillCrates() {
        for (int i = 0; i < 3 * SHEET_BYTES / CRATE_BYTES; i++) {
            sink = new Crate();
            CRATES.incrementAndGet();
        }
    }

    static void fillSheets() {
        sink = new byte[SHEET_BYTES];
        SHEETS.incrementAndGet();
    }

    private static void hold() {
        while (!ended) {
            synchronized (GATE) {
                LockSupport.parkNanos(20 * NS_PER_MS);
            }
            LockSupport.parkNanos(2 * NS_PER_MS);
        }
    }

    private static void enter() {
        while (!ended) {
            enterGate();
        }
    }

    static void enterGate() {
        long startNs = System.nanoTime();
        synchronized (GATE) {
            WAITED_NS.addAndGet(System.nanoTime() - startNs);
        }
        LockSupport.parkNanos(NS_PER_MS);
    }

    private static void park() {
        while (!ended) {
            LockSupport.park(GATE);
        }
    }

    /** Waits for channels that are not there; without a time limit, it never returns. */
    private static void select(long ms) {
        try (Selector selector = Selector.open()) {
            while (!ended) {
                long startNs = System.nanoTime();
                selector.select(ms);
                if (ms == 0) {
                    SELECTED.incrementAndGet();
                } else {
                    LEAST_MS.accumulateAndGet((System.nanoTime() - startNs) / NS_PER_MS, Math::min);
                }
            }
        } catch (IOException e) {
            failure = e.toString();
        }
    }

    private static void accept() {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.accept();
        } catch (IOException e) {
            failure = e.toString();
        }
    }
}
