package io.remora.exchange;

import io.remora.engine.Cluster;
import io.remora.http.RequestHead;
import io.remora.stream.StreamClient;
import io.remora.stream.Target;
import org.jspecify.annotations.Nullable;

/** A cluster that always has a stream ready. */
final class BenchCluster extends Cluster {
    private final BenchBackend only;

    BenchCluster(BenchBackend only) {
        this.only = only;
    }

    @Override
    public void newStream(RequestHead head, @Nullable Target tried, StreamClient client) {
        only.serve(client);
    }

    @Override
    public void newStreamAgain(Target target, StreamClient client) {
        throw new IllegalStateException("an attempt has failed");
    }

    @Override
    public boolean hasOther(Target tried) {
        return false;
    }

    @Override
    public boolean repeatsByItself() {
        return false;
    }
}
