package io.remora;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The guard of all other tests, with a leak made on purpose. */
final class LeakGuardTest {
    @Test
    void reportsABufferThatNobodyReleased() {
        leak();
        List<String> reports = new ArrayList<>();
        long deadlineNs = System.nanoTime() + 10_000_000_000L;
        while (reports.isEmpty() && System.nanoTime() < deadlineNs) {
            reports.addAll(LeakGuard.collect());
        }
        assertThat(reports).singleElement().asString().contains("ByteBuf", "LeakGuardTest.leak");
    }

    private static void leak() {
        PooledByteBufAllocator.DEFAULT.directBuffer(16).writeByte(1);
    }
}
