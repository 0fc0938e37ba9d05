package io.remora.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class AccessQueueTest {
    @Test
    void firstInFirstOutUpToTheCapacity() {
        AccessQueue queue = new AccessQueue(3);
        for (int round = 0; round < 10; round++) {
            assertThat(queue.offer(Entries.target("/1"))).isEqualTo(1);
            assertThat(queue.offer(Entries.target("/2"))).isEqualTo(2);
            assertThat(queue.offer(Entries.target("/3"))).isEqualTo(3);
            assertThat(queue.offer(Entries.target("/4"))).isEqualTo(AccessQueue.FULL);
            assertThat(queue.poll().target()).isEqualTo("/1");
            assertThat(queue.poll().target()).isEqualTo("/2");
            assertThat(queue.size()).isEqualTo(1);
            assertThat(queue.poll().target()).isEqualTo("/3");
            assertThat(queue.poll()).isNull();
        }
    }

    @Test
    void longTargetsFillItSooner() {
        AccessQueue queue = new AccessQueue(1_000);
        String target = "/".repeat(30_000);
        int taken = 0;
        while (queue.offer(Entries.target(target)) != AccessQueue.FULL) {
            taken++;
        }
        assertThat(taken).isBetween(10, 17);
        while (queue.poll() != null) {
            taken--;
        }
        assertThat(taken).isZero();
        assertThat(queue.offer(Entries.target(target))).isEqualTo(1);
    }

    @Test
    void aPartOfTheHeapBoundsIt() {
        long heapBytes = 16L << 20;
        AccessQueue queue = new AccessQueue(1_000_000, heapBytes);
        String target = "/".repeat(10_000);
        int taken = 0;
        while (queue.offer(Entries.target(target)) != AccessQueue.FULL) {
            taken++;
        }
        assertThat(taken * 10_000L).isBetween(heapBytes / 16 / 2, heapBytes / 16);
        assertThat(queue.capacity()).as("slots take heap too").isLessThan(5_000);
        AccessQueue methods = new AccessQueue(1_000_000, heapBytes);
        int odd = 0;
        while (methods.offer(Entries.method("M".repeat(8_000))) != AccessQueue.FULL) {
            odd++;
        }
        assertThat(odd).as("a client chooses the method as well").isLessThan(140);
        assertThat(new AccessQueue(64, heapBytes).capacity()).isEqualTo(64);
    }

    @Test
    void aQueueOfOneTakesTheLongestTarget() {
        AccessQueue queue = new AccessQueue(1);
        assertThat(queue.offer(Entries.target("/".repeat(40_000)))).isEqualTo(1);
        assertThat(queue.offer(Entries.target("/"))).isEqualTo(AccessQueue.FULL);
    }

    @Test
    void nothingIsLostOrRepeatedBetweenThreads() throws InterruptedException {
        AccessQueue queue = new AccessQueue(64);
        int each = 20_000;
        AtomicInteger running = new AtomicInteger(3);
        List<Thread> producers = new ArrayList<>();
        for (int producer = 0; producer < 3; producer++) {
            String prefix = producer + ":";
            producers.add(new Thread(() -> {
                for (int i = 0; i < each; i++) {
                    while (queue.offer(Entries.target(prefix + i)) == AccessQueue.FULL) {
                        Thread.yield();
                    }
                }
                running.decrementAndGet();
            }));
        }
        producers.forEach(Thread::start);
        int[] next = new int[3];
        while (running.get() > 0 || queue.size() > 0) {
            AccessEntry entry = queue.poll();
            if (entry == null) {
                Thread.yield();
                continue;
            }
            int producer = entry.target().charAt(0) - '0';
            assertThat(entry.target()).isEqualTo(producer + ":" + next[producer]++);
        }
        for (Thread producer : producers) {
            producer.join();
        }
        assertThat(next).containsExactly(each, each, each);
    }
}
