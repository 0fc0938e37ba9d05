package io.remora.loadtest.faults;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;

/** Keeps {@value #BYTES} bytes of direct memory, each page of them touched, for each request. */
final class LeakFault implements Fault {
    private static final int BYTES = 32 * 1024;

    private final List<ByteBuf> kept = new ArrayList<>();

    @Override
    public Fate fate() {
        kept.add(Unpooled.directBuffer(BYTES).writeZero(BYTES));
        return Fate.PASSED_ON;
    }
}
