package io.remora.feature.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;

final class BucketTableTest {
    private static final long S = 1_000_000_000L;
    private static final int THREADS = 4;

    private final RateLimitStats stats = new RateLimitStats("in", "each");

    private BucketTable table(int keys, int burst) {
        return new BucketTable(new Rate(1, S, burst), keys, stats);
    }

    /** Keys as the hash spreads them. */
    private static long key(int number) {
        return new KeyHash(1, 2).of(number, 0);
    }

    private static int passes(BucketTable table, long key, int requests, long nowNs) {
        int passed = 0;
        for (int i = 0; i < requests; i++) {
            passed += table.take(key, nowNs) == 0 ? 1 : 0;
        }
        return passed;
    }

    @Test
    void givesEachKeyItsOwn() {
        BucketTable table = table(1_000, 3);
        for (int i = 0; i < 100; i++) {
            assertThat(passes(table, key(i), 5, 0)).isEqualTo(3);
        }
        assertThat(passes(table, 0, 5, 0)).isEqualTo(3);
        assertThat(stats.value(RateLimitMetric.SHARED)).isZero();
    }

    /** Whoever has used up his requests does not get them back by others' keys, however many these invent. */
    @Test
    void forgetsNobodyWhoOwes() {
        BucketTable table = table(64, 1);
        List<Integer> first = new ArrayList<>();
        for (int i = 0; i < 64; i++) {
            if (table.take(key(i), 0) == 0) {
                first.add(i);
            }
        }
        for (int i = 1_000; i < 100_000; i++) {
            table.take(key(i), S / 2);
        }
        for (int i : first) {
            assertThat(table.take(key(i), S / 2)).as("key " + i).isEqualTo(S / 2);
        }
    }

    /** What passes in all is bounded by the places, whoever invents keys. */
    @Test
    void letsNoMoreThroughThanThePlacesDo() {
        int keys = 80;
        BucketTable table = table(keys, 1);
        int passed = 0;
        for (int i = 0; i < 1_000_000; i++) {
            passed += table.take(key(i), 0) == 0 ? 1 : 0;
        }
        // two places for each, and a shared bucket for each set of sixteen
        assertThat(passed).isEqualTo(2 * keys + keys / 8);
        assertThat(stats.value(RateLimitMetric.SHARED)).isEqualTo(1_000_000 - 2 * keys);
    }

    /** A place whose bucket is full again is anybody's, and its owner loses nothing by that. */
    @Test
    void makesRoomOnceABucketIsFullAgain() {
        BucketTable table = table(1, 2);
        for (int i = 0; i < 16; i++) {
            assertThat(passes(table, key(i), 3, 0)).isEqualTo(2);
        }
        assertThat(passes(table, key(16), 3, 0)).as("shared").isEqualTo(2);
        assertThat(passes(table, key(17), 3, 2 * S - 1))
                .as("shared, less a token")
                .isOne();
        assertThat(passes(table, key(18), 3, 2 * S)).as("a place").isEqualTo(2);
        assertThat(passes(table, key(15), 3, 2 * S)).isEqualTo(2);
    }

    @Test
    void holdsNothingForTheKeysThatCome() {
        BucketTable table = table(100, 1);
        SplittableRandom random = new SplittableRandom(1);
        ThreadMXBean thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long[] keys = new long[100_000];
        for (int i = 0; i < keys.length; i++) {
            keys[i] = random.nextLong();
        }
        long before = thread.getCurrentThreadAllocatedBytes();
        for (long key : keys) {
            table.take(key, 0);
        }
        assertThat(thread.getCurrentThreadAllocatedBytes() - before).isLessThan(keys.length);
    }

    /** Threads that all bring the same keys at once let exactly the bursts through. */
    @Test
    void isExactOverAllThreads() throws Exception {
        int keys = 2_000;
        int burst = 3;
        BucketTable table = table(8 * keys, burst);
        AtomicIntegerArray passed = new AtomicIntegerArray(keys);
        together(() -> {
            for (int key = 0; key < keys; key++) {
                for (int i = 0; i < burst; i++) {
                    if (table.take(key(key), 0) == 0) {
                        passed.incrementAndGet(key);
                    }
                }
            }
        });
        for (int key = 0; key < keys; key++) {
            assertThat(passed.get(key)).as("key " + key).isEqualTo(burst);
        }
        assertThat(stats.value(RateLimitMetric.SHARED)).isZero();
    }

    /**
     * Places change hands all the time while all threads ask for all keys: in each second, which is the same for all of them, the
     * places and the shared bucket let through what they have, and nothing twice.
     */
    @Test
    void isExactWhilePlacesChangeHands() throws Exception {
        int keys = 48;
        int rounds = 2_000;
        BucketTable table = table(8, 1);
        AtomicIntegerArray passed = new AtomicIntegerArray(rounds);
        AtomicIntegerArray passedByKey = new AtomicIntegerArray(rounds * keys);
        CyclicBarrier round = new CyclicBarrier(THREADS);
        together(() -> {
            for (int second = 0; second < rounds; second++) {
                await(round);
                for (int i = 0; i < keys; i++) {
                    int key = (i + second) % keys;
                    if (table.take(key(key), second * S) == 0) {
                        passed.incrementAndGet(second);
                        passedByKey.incrementAndGet(second * keys + key);
                    }
                }
            }
        });
        int sum = 0;
        for (int second = 0; second < rounds; second++) {
            // sixteen places and the bucket that the others share; a place that its owner takes while it is looked at
            // may be passed over
            assertThat(passed.get(second)).as("second " + second).isBetween(1, 17);
            sum += passed.get(second);
        }
        assertThat(sum).as("of all rounds").isGreaterThan(rounds * 12);
        int after = 0;
        for (int key = 0; key < keys; key++) {
            after += table.take(key(key), (rounds + 1) * S) == 0 ? 1 : 0;
        }
        assertThat(after).as("once nobody is in the way").isEqualTo(17);
        for (int i = 0; i < rounds * keys; i++) {
            // its own, and once more the shared one, where its place was looked at just then
            assertThat(passedByKey.get(i)).isLessThanOrEqualTo(2);
        }
    }

    private static void await(CyclicBarrier round) {
        try {
            round.await(10, TimeUnit.SECONDS);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private static void together(Runnable task) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        CountDownLatch begin = new CountDownLatch(1);
        List<Future<?>> all = new ArrayList<>();
        try {
            for (int i = 0; i < THREADS; i++) {
                all.add(threads.submit(() -> {
                    begin.await();
                    task.run();
                    return null;
                }));
            }
            begin.countDown();
            for (Future<?> one : all) {
                one.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
