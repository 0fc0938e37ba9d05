package io.remora.finagle;

import com.twitter.finagle.Dtab;
import com.twitter.finagle.Path;
import io.remora.transport.Loop;

/**
 * The binding of one cluster's name.
 *
 * @param name of the cluster
 * @param base the configuration's delegations
 * @param places where they end
 */
record FinagleNames(Path name, Dtab base, FinaglePlaces places) {
    LoopNames on(Loop loop, EndpointCounts counts) {
        return new LoopNames(name, base, places, loop, counts);
    }
}
