package io.remora.cluster;

import io.remora.stream.Target;
import io.remora.stream.Verdict;

/**
 * An endpoint that is out of use, as the one attempt sees it on which its return depends: an attempt that began before is not taken
 * for it.
 *
 * <p>Owner: the event loop.
 */
final class Probe implements Target {
    final EndpointNode node;

    Probe(EndpointNode node) {
        this.node = node;
    }

    @Override
    public String name() {
        return node.name();
    }

    @Override
    public boolean isInUse() {
        return false;
    }

    @Override
    public void answered(Verdict verdict) {
        node.answered(this, verdict);
    }

    @Override
    public void ended(Verdict verdict, long latencyNs) {
        node.ended(this, verdict, latencyNs);
    }
}
