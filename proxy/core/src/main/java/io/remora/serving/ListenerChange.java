package io.remora.serving;

import io.remora.config.model.ListenerConfig;
import io.remora.exchange.ListenerLoop;
import io.remora.exchange.ListenerSnapshot;
import io.remora.route.Router;
import io.remora.transport.Acceptor;
import io.remora.transport.Handshake;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One listener's part of a {@link ConfigUpdate}. Each loop writes its own snapshot, the rest belongs to the thread that replaces. */
final class ListenerChange {
    final ListenerConfig config;
    final Router router;
    final ListenerSnapshot[] snapshots;
    /** Listener whose connections and loops stay, null for new ones. */
    final @Nullable BoundListener kept;
    /** Listener whose socket it takes, null for a new one. */
    final @Nullable BoundListener socket;

    final List<ListenerLoop> onLoops;
    final Handshake handshake;

    /** Made before anything changes; what is accepted is led by it from then on. */
    @Nullable
    Acceptor acceptor;

    @Nullable
    BoundListener bound;

    ListenerChange(
            ListenerConfig config,
            @Nullable BoundListener kept,
            @Nullable BoundListener socket,
            List<ListenerLoop> onLoops,
            Handshake handshake) {
        this.config = config;
        this.router = new Router(config.routes(), config.path());
        this.kept = kept;
        this.socket = socket;
        this.onLoops = onLoops;
        this.handshake = handshake;
        this.snapshots = new ListenerSnapshot[onLoops.size()];
    }
}
