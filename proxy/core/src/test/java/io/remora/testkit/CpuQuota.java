package io.remora.testkit;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A cgroup that gives a process little of a processor. Needs root. */
public final class CpuQuota implements AutoCloseable {
    private static final Path FIRST = Path.of("/sys/fs/cgroup/cpu");
    private static final Path SECOND = Path.of("/sys/fs/cgroup");
    private static final int PERIOD_US = 100_000;

    private final Path parent;
    private final Path group;
    private final long pid;

    private CpuQuota(Path parent, Path group, long pid) {
        this.parent = parent;
        this.group = group;
        this.pid = pid;
    }

    /** Takes effect at once. */
    public static CpuQuota of(long pid, int percent) throws IOException {
        assumeTrue(System.getProperty("user.name").equals("root"), "not root");
        boolean isFirst = Files.exists(FIRST.resolve("cpu.cfs_quota_us"));
        Path parent = isFirst ? FIRST : SECOND;
        assumeTrue(Files.isWritable(parent), "no cgroup can be made");
        CpuQuota quota = new CpuQuota(parent, Files.createDirectory(parent.resolve("remora-test-" + pid)), pid);
        int us = PERIOD_US * percent / 100;
        if (isFirst) {
            Files.writeString(quota.group.resolve("cpu.cfs_period_us"), Integer.toString(PERIOD_US));
            Files.writeString(quota.group.resolve("cpu.cfs_quota_us"), Integer.toString(us));
        } else {
            Files.writeString(quota.group.resolve("cpu.max"), us + " " + PERIOD_US);
        }
        Files.writeString(quota.group.resolve("cgroup.procs"), Long.toString(pid));
        return quota;
    }

    /** Gives the process all that there is. */
    @Override
    public void close() throws IOException {
        Files.writeString(parent.resolve("cgroup.procs"), Long.toString(pid));
        Await.until("an empty cgroup", () -> group.toFile().delete());
    }
}
