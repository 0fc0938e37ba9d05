package io.remora.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.metrics.LoopStats;
import io.remora.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When the watch looks, and what it tells. */
final class MemoryWatchTest {
    private static final long LIMIT = 100_000_000;
    private static final int MANY = 1 << 20;

    @TempDir
    private Path directory;

    private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
    private final List<Pressure> told = new CopyOnWriteArrayList<>();
    private MemoryWatch watch;

    private LoopBudget start(long poolBytes) {
        MemoryLimit limit = new MemoryLimit(LIMIT, directory + "/memory.max", 0, 1 << 30, 1 << 30, 1 << 30, 0);
        watch = new MemoryWatch(Plans.plain(limit, LIMIT, poolBytes, 4_096, MANY, MANY, MANY), 1);
        LoopBudget budget = watch.budget(0, new LoopStats("0"));
        watch.start(executor, told::add);
        return budget;
    }

    @AfterEach
    void end() {
        watch.close();
        executor.shutdownNow();
    }

    private void uses(long bytes) throws IOException {
        Files.writeString(directory.resolve("memory.current"), bytes + "\n");
    }

    private void hasActiveFilePages(long bytes) throws IOException {
        Files.writeString(directory.resolve("memory.stat"), "inactive_file 0\nactive_file " + bytes + "\n");
    }

    @Test
    void goesByWhatTheKernelCharges() throws IOException {
        uses(99_500_000);
        LoopBudget budget = start(1L << 40);
        assertThat(budget.open()).isTrue();
        Await.until("accepting stops", () -> watch.pressure() == Pressure.CLOSE);
        assertThat(watch.usageBytes()).isEqualTo(99_500_000);
        assertThat(budget.grant(0, "")).as("while it lasts").isZero();
        Await.until("told more than once", () -> told.size() > 2);
        assertThat(told).containsOnly(Pressure.CLOSE);
        uses(1_000_000);
        Await.until("calm", () -> watch.pressure() == Pressure.CALM);
        Await.until("told so", () -> told.get(told.size() - 1) == Pressure.CALM);
        assertThat(budget.grant(0, "")).isPositive();
        assertThat(watch.changes()).isEqualTo(2);
    }

    /** No client holds active file pages, and the kernel reclaims them. */
    @Test
    void servesWhereOnlyFilePagesAreLeft() throws IOException {
        hasActiveFilePages(30_000_000);
        uses(99_500_000);
        LoopBudget budget = start(1L << 40);
        assertThat(budget.open()).isTrue();
        Await.until("looked", () -> watch.usageBytes() == 99_500_000);
        assertThat(budget.grant(0, "")).isPositive();
        assertThat(watch.changes()).isZero();
    }

    /** Long exchanges may never end, and refusing others frees nothing. */
    @Test
    void filePagesShutItForAMomentWhileMuchIsReserved() throws IOException {
        hasActiveFilePages(30_000_000);
        LoopBudget budget = refuseForAMoment();
        assertThat(budget.fill()).isGreaterThanOrEqualTo(400);
        assertThat(watch.usageBytes()).isEqualTo(99_500_000);
        assertThat(budget.grant(0, "")).isPositive();
    }

    /** Charges 99.5 % while 40 % is reserved, and returns the budget once it serves again. */
    private LoopBudget refuseForAMoment() throws IOException {
        uses(1_000_000);
        LoopBudget budget = start(1 << 20);
        fill(budget, 400);
        uses(99_500_000);
        Await.until("refuses", () -> told.contains(Pressure.REFUSE));
        Await.until("serves", () -> !watch.pressure().isAtLeast(Pressure.REFUSE));
        assertThat(told).doesNotContain(Pressure.CUT, Pressure.CLOSE);
        return budget;
    }

    private static List<Integer> fill(LoopBudget budget, int fill) {
        List<Integer> grants = new ArrayList<>();
        while (budget.fill() < fill) {
            int grant = budget.grant(0, "");
            assertThat(grant).isPositive();
            grants.add(grant);
        }
        return grants;
    }

    /** The usage without them would not have begun the stage, and would not end it either. */
    @Test
    void aStageThatFilePagesHaveBegunEndsWithThem() throws IOException {
        hasActiveFilePages(6_500_000);
        refuseForAMoment();
    }

    /** Tunnels may hold what is reserved for as long as they like; nobody is cut, and others are accepted. */
    @Test
    void filePagesCutNobodyWhereWhatIsReservedHasExchangesRefused() throws IOException {
        hasActiveFilePages(30_000_000);
        uses(1_000_000);
        LoopBudget budget = start(1 << 20);
        List<Integer> grants = fill(budget, 930);
        Await.until("refuses", () -> watch.pressure() == Pressure.REFUSE);
        while (budget.fill() > 850) {
            budget.giveBack(grants.remove(0), 0);
        }
        assertThat(budget.fill()).isGreaterThanOrEqualTo(800);
        int before = told.size();
        uses(99_500_000);
        Await.until("looked for longer than file pages count", () -> told.size() > before + 20);
        assertThat(told).doesNotContain(Pressure.CUT, Pressure.CLOSE);
        assertThat(watch.pressure()).isEqualTo(Pressure.REFUSE);
    }

    @Test
    void otherMemoryKeepsItShut() throws IOException {
        hasActiveFilePages(100_000);
        uses(99_500_000);
        LoopBudget budget = start(1L << 40);
        assertThat(budget.open()).isTrue();
        Await.until("looked for longer than file pages count", () -> told.size() > 20);
        assertThat(told).containsOnly(Pressure.CLOSE);
    }

    @Test
    void goesByWhatIsReserved() throws IOException {
        uses(1_000_000);
        LoopBudget budget = start(1 << 20);
        int grant = budget.grant(0, "");
        int granted = 0;
        while (budget.grant(0, "") > 0) {
            granted++;
        }
        assertThat(granted).isPositive();
        Await.until("refuses", () -> watch.pressure().isAtLeast(Pressure.REFUSE));
        budget.giveBack(grant, 0);
        assertThat(budget.grant(0, "")).as("not as long as the stage lasts").isZero();
        for (int i = 0; i < granted; i++) {
            budget.giveBack(grant, 0);
        }
        Await.until("calm", () -> watch.pressure() == Pressure.CALM);
    }

    @Test
    void restsWhileNobodyIsServed() throws IOException {
        uses(99_500_000);
        LoopBudget budget = start(1L << 40);
        assertThat(Await.within(1_500, () -> watch.usageBytes() >= 0))
                .as("looked")
                .isFalse();
        budget.giveBack(budget.grant(0, ""), 0);
        Await.until("looked", () -> watch.usageBytes() >= 0);
    }
}
