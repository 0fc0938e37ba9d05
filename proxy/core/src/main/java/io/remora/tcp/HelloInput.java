package io.remora.tcp;

import io.netty.buffer.ByteBuf;
import io.remora.config.model.RouteConfig;
import io.remora.memory.Held;
import io.remora.memory.LoopBudget;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Input of a client until it is known which server it wants: read, kept, and handed on octet for octet.
 *
 * <p>Owner: one connection. Bounds: {@link #MAX_OCTETS}, and the loop's memory for heads. Its owner bounds the time.
 */
final class HelloInput {
    /** Octets of a hello of {@link ClientHello#MAX_OCTETS} in records of a sensible size. */
    static final int MAX_OCTETS = 20 << 10;

    private static final int FIRST_OCTETS = 512;
    /** Copies of each octet: as it came, and in the message that it is read into. */
    private static final int COPIES = 2;

    private final Held memory;
    private final ClientHello hello = new ClientHello();
    private @Nullable ByteBuf held;
    private boolean fits = true;

    HelloInput(LoopBudget memory) {
        this.memory = new Held(memory);
    }

    /** Tells if one of the routes is for a name only. */
    static boolean isNeeded(List<RouteConfig> routes) {
        for (int i = 0; i < routes.size(); i++) {
            if (routes.get(i).match().host() != null) {
                return true;
            }
        }
        return false;
    }

    /**
     * Takes over {@code bytes}.
     *
     * @return the name of the server, empty where the client does not say one, null while it is not known
     */
    @Nullable
    String read(ByteBuf bytes) {
        String name = hello.read(bytes);
        if (held == null && name != null) {
            // all in one read, as nearly always
            held = bytes;
            return name;
        }
        int octets = keep(bytes);
        return name == null && octets >= MAX_OCTETS ? "" : name;
    }

    /** Tells if the loop has memory for the octets that are kept. */
    boolean fits() {
        return fits;
    }

    int heldBytes() {
        return memory.bytes();
    }

    private int keep(ByteBuf bytes) {
        ByteBuf all = held;
        if (all == null) {
            all = bytes.alloc().heapBuffer(Math.max(FIRST_OCTETS, bytes.readableBytes()));
            held = all;
        }
        int octets = bytes.readableBytes();
        all.writeBytes(bytes);
        bytes.release();
        int cost = memory.bytes() + COPIES * octets;
        fits = memory.to(cost, cost);
        return all.readableBytes();
    }

    /** Hands over all of it, null where nothing has come. */
    @Nullable
    ByteBuf take() {
        ByteBuf all = held;
        held = null;
        memory.to(0);
        return all;
    }
}
