package io.remora.cluster;

import io.remora.balance.History;
import io.remora.metrics.EndpointStats;
import io.remora.metrics.EndpointView;
import org.jspecify.annotations.Nullable;

/** The state of an endpoint's node on one event loop, for operators. Loaded only where there is something to tell. Thread safe. */
final class NodeView implements EndpointView {
    private final @Nullable EndpointHealth health;
    private final @Nullable History history;

    private NodeView(@Nullable EndpointHealth health, @Nullable History history) {
        this.health = health;
        this.history = history;
    }

    /** Shows a node. It is apart from its caller, which would have this class loaded only to be verified. */
    static void show(EndpointStats counts, @Nullable EndpointHealth health, @Nullable History history) {
        counts.view(new NodeView(health, history));
    }

    @Override
    public Known known() {
        int latencyUs = history == null ? -1 : history.latencyUs();
        return health == null ? new Known("", "", -1, -1, latencyUs) : health.known(latencyUs);
    }
}
