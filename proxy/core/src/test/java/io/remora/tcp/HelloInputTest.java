package io.remora.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.remora.memory.LoopBudget;
import io.remora.memory.Plans;
import io.remora.metrics.LoopMetric;
import io.remora.metrics.LoopStats;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What a hello that comes in pieces counts for, and what becomes of it where there is no memory. */
final class HelloInputTest {
    private static final int HELD_OCTETS = 256;

    private final LoopStats stats = new LoopStats("0");
    private final LoopBudget memory = Plans.holding(HELD_OCTETS).budget(0, stats);
    private final HelloInput input = new HelloInput(memory);

    private String read(byte[] octets, int from, int to) {
        return input.read(Unpooled.copiedBuffer(Arrays.copyOfRange(octets, from, to)));
    }

    /** It is there twice until the name is known. */
    @Test
    void countsBothItsCopies() throws Exception {
        byte[] hello = ClientHelloTest.hello("one.test");
        assertThat(read(hello, 0, 20)).isNull();
        assertThat(input.fits()).isTrue();
        assertThat(stats.value(LoopMetric.MEMORY_HELD)).isEqualTo(40);
        assertThat(read(hello, 20, hello.length)).isEqualTo("one.test");
        input.take().release();
        assertThat(stats.value(LoopMetric.MEMORY_HELD)).isZero();
    }

    /** A client for which there is no memory is not led to the server of those without a name. */
    @Test
    void hasNoNameYetWhereThereIsNoMemory() throws Exception {
        byte[] hello = ClientHelloTest.hello("one.test");
        memory.hold(HELD_OCTETS);
        assertThat(read(hello, 0, hello.length / 2)).isNull();
        assertThat(input.fits()).isFalse();
        input.take().release();
        assertThat(stats.value(LoopMetric.MEMORY_HELD)).isEqualTo(HELD_OCTETS);
    }
}
