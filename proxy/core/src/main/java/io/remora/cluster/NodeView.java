package io.remora.cluster;

import io.remora.balance.History;
import io.remora.metrics.EndpointView;
import org.jspecify.annotations.Nullable;

/** What one event loop's node of an endpoint tells operators. Loaded only for who has something to tell. Thread safe. */
final class NodeView implements EndpointView {
    private final @Nullable EndpointHealth health;
    private final @Nullable History history;

    NodeView(@Nullable EndpointHealth health, @Nullable History history) {
        this.health = health;
        this.history = history;
    }

    @Override
    public Known known() {
        int latencyUs = history == null ? -1 : history.latencyUs();
        return health == null ? new Known("", "", -1, -1, latencyUs) : health.known(latencyUs);
    }
}
