package io.remora.profile;

import io.remora.flame.CallTree;
import io.remora.flame.FlameFormat;
import io.remora.flame.FlameHead;
import io.remora.flame.Measure;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** A program that takes profiles of itself while it burns processor time in methods that are known. */
final class Burner {
    private static final long NS_PER_MS = 1_000_000L;
    static volatile long sink;
    private static volatile boolean ended;

    private Burner() {}

    /** The first argument says what to do; the others are numbers for it. */
    public static void main(String[] arguments) throws Exception {
        Thread hot = new Thread(Burner::burnMuch, "burns-much");
        Thread mild = new Thread(Burner::burnLittle, "burns-little");
        hot.start();
        mild.start();
        switch (arguments[0]) {
            case "once" -> once(hot, Integer.parseInt(arguments[1]), Integer.parseInt(arguments[2]));
            case "kernel" -> kernel();
            case "often" -> often(Integer.parseInt(arguments[1]));
            default -> throw new IllegalArgumentException(arguments[0]);
        }
        ended = true;
        hot.join();
        mild.join();
    }

    static void burnMuch() {
        while (!ended) {
            spin(100_000);
        }
    }

    /** Rests three quarters of the time. */
    static void burnLittle() {
        while (!ended) {
            long startNs = System.nanoTime();
            while (System.nanoTime() - startNs < 5 * NS_PER_MS) {
                lightly(1_000);
            }
            rest();
        }
    }

    private static void rest() {
        try {
            Thread.sleep(15);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    static void spin(int turns) {
        long sum = sink;
        for (int i = 0; i < turns; i++) {
            sum = sum * 31 + i;
        }
        sink = sum;
    }

    static void lightly(int turns) {
        long sum = sink;
        for (int i = 0; i < turns; i++) {
            sum = sum * 17 + i;
        }
        sink = sum;
    }

    private static void once(Thread hot, int ms, int hz) throws IOException, InterruptedException {
        try (Profile profile = Profile.begin(ProfileKind.CPU, hz)) {
            boolean second = Profile.begin(ProfileKind.CPU, hz) == null;
            long startNs = ManagementFactory.getThreadMXBean().getThreadCpuTime(hot.getId());
            CallTree tree = profile.run(ms * NS_PER_MS, (seconds, samples) -> {});
            long ranNs = ManagementFactory.getThreadMXBean().getThreadCpuTime(hot.getId()) - startNs;
            System.out.println("ran " + ranNs / NS_PER_MS);
            System.out.println("second refused " + second);
            System.out.println("dropped " + profile.dropped());
            FlameFormat.COLLAPSED.write(tree, new FlameHead("", "", Measure.CPU, 0, 0, 0), System.out);
        }
    }

    /** Prints how a profile was taken of a thread that reads a device, and its stacks. */
    private static void kernel() throws IOException, InterruptedException {
        Thread reader = new Thread(Burner::burnKernel, "burns-kernel");
        reader.start();
        try (Profile profile = Profile.begin(ProfileKind.KERNEL, 500)) {
            CallTree tree = profile.run(2_000 * NS_PER_MS, (seconds, samples) -> {});
            System.out.println("method " + profile.method());
            System.out.println("dropped " + profile.dropped());
            FlameFormat.COLLAPSED.write(tree, new FlameHead("", "", Measure.CPU, 0, 0, 0), System.out);
        }
        ended = true;
        reader.join();
    }

    private static void burnKernel() {
        // large blocks, so that most samples are inside the read
        byte[] block = new byte[1 << 18];
        try (FileInputStream zeros = new FileInputStream("/dev/zero")) {
            while (!ended) {
                sink += zeros.read(block);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Prints what the process has before the first and behind the last of many profiles. */
    private static void often(int times) throws IOException, InterruptedException {
        for (int i = 0; i <= times; i++) {
            ProfileKind kind = ProfileKind.values()[i % ProfileKind.values().length];
            try (Profile profile = Profile.begin(kind, kind.defaultRate())) {
                profile.run(60 * NS_PER_MS, (seconds, samples) -> {});
            }
            if (i == 0 || i == times) {
                System.gc();
                String status = Files.readString(Path.of("/proc/self/status"));
                int rss = status.indexOf("VmRSS:");
                System.out.println("threads " + count("/proc/self/task") + " descriptors " + count("/proc/self/fd")
                        + " pages " + pages() + " timers "
                        + Files.readAllLines(Path.of("/proc/self/timers")).size());
                System.out.println(status.substring(rss, status.indexOf(" kB", rss)));
            }
        }
    }

    /** Returns the number of mapped events of perf. */
    private static long pages() throws IOException {
        return Files.readAllLines(Path.of("/proc/self/maps")).stream()
                .filter(line -> line.contains("perf_event"))
                .count();
    }

    private static int count(String directory) {
        String[] names = new File(directory).list();
        return names == null ? -1 : names.length;
    }
}
