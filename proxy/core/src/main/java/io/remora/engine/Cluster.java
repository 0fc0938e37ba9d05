package io.remora.engine;

import io.remora.http.RequestHead;
import io.remora.stream.StreamClient;
import io.remora.stream.Target;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's way to a cluster: carries out one attempt after the other.
 *
 * <p>Owner: the event loop. An abstract class for the reason that {@code BackendStream} is one.
 */
public abstract class Cluster {
    /**
     * Picks an endpoint and asks it for a stream; {@code client} hears the rest, at once or later.
     *
     * @param head of the request, for balancers that look at it
     * @param tried the endpoint of the attempt before, which another one is preferred to; null for a first attempt
     */
    public abstract void newStream(RequestHead head, @Nullable Target tried, StreamClient client);

    /**
     * Asks the same endpoint once more, for a stream of a connection that has carried none: the one before was stale.
     *
     * @param target that this cluster picked before
     */
    public abstract void newStreamAgain(Target target, StreamClient client);

    /**
     * Ends the wait of a client that requested a stream and has not got one.
     *
     * @param target that the client knows of, null for none
     */
    public void left(@Nullable Target target, StreamClient client) {}

    /** Returns its name in logs and metrics; null where it has none of its own. */
    public @Nullable String name() {
        return null;
    }

    /** The scheme of requests at its endpoints, as far as their connections are the sidecar's to protect. */
    public String scheme() {
        return "http";
    }

    /** True where an endpoint of it has answered on this loop; a cluster that cannot tell says so, too. */
    public boolean hasAnswered() {
        return true;
    }

    /** Returns whether an endpoint other than {@code tried} could be picked now. */
    public abstract boolean hasOther(Target tried);

    /**
     * Returns whether one of the other endpoints is in use, so that a second attempt next to {@code tried} may help.
     */
    public boolean hasOtherInUse(Target tried) {
        return hasOther(tried);
    }

    /**
     * Returns whether the engine retries, balances and ejects by itself. It then gets exactly one attempt for each
     * exchange, so that nothing multiplies.
     */
    public abstract boolean repeatsByItself();

    /** The gate that bounds the retries of routes; null where there can be none. */
    public @Nullable RetryGate retries() {
        return null;
    }
}
