package io.remora.serving;

import io.netty.buffer.ByteBufAllocator;
import io.remora.exchange.Stage;
import io.remora.feature.Features;
import io.remora.metrics.Stats;
import io.remora.transport.Loop;
import io.remora.transport.Loops;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parts of a data path that its other parts share: loops, counters, buffers, files, what features keep, and the generation that holds now.
 *
 * <p>All of them are there from the beginning. Only the generation is ever another one. Thread safe.
 */
public final class Shared {
    private final Loops loops;
    private final Stats stats;
    private final ByteBufAllocator allocator;
    private final ProcessFiles files;
    private final Features features;
    /** Stage of the flight recorder; null in images without one. */
    private volatile @Nullable Stage recording;

    private volatile Generation current;

    Shared(Loops loops, Stats stats, ByteBufAllocator allocator, ProcessFiles files, Generation first) {
        this.loops = loops;
        this.stats = stats;
        this.allocator = allocator;
        this.files = files;
        this.features = new Features(stats);
        this.current = first;
    }

    Loops group() {
        return loops;
    }

    public List<Loop> loops() {
        return loops.all();
    }

    public Stats stats() {
        return stats;
    }

    public ByteBufAllocator allocator() {
        return allocator;
    }

    public ProcessFiles files() {
        return files;
    }

    /** Has listeners that are opened from now on record their exchanges. */
    public void record(Stage stage) {
        recording = stage;
    }

    @Nullable
    Stage recording() {
        return recording;
    }

    Features features() {
        return features;
    }

    Generation current() {
        return current;
    }

    /** Has a generation hold from now on. */
    void hold(Generation next) {
        current = next;
    }

    /** Returns whether a connection to it would come back to this process. */
    public boolean isOwn(InetSocketAddress destination) {
        InetAddress address = destination.getAddress();
        try {
            return address.isAnyLocalAddress()
                    || current().config().binds(destination.getPort())
                            && (address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null);
        } catch (IOException e) {
            return true;
        }
    }
}
