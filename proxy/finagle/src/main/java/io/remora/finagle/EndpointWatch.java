package io.remora.finagle;

import com.twitter.finagle.Addr;
import com.twitter.finagle.Address;
import com.twitter.finagle.Addresses;
import com.twitter.finagle.Addrs;
import com.twitter.finagle.addr.WeightedAddress;
import io.remora.cluster.ClusterSource;
import io.remora.config.model.LogComponent;
import io.remora.log.Log;
import io.remora.naming.Endpoint;
import io.remora.naming.Resolver;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import scala.Option;

/**
 * Translates the answers of a cluster's resolver for Finagle. A failure leaves the last answer in place, because a lost
 * source says nothing of its endpoints.
 *
 * <p>Thread safe; resolvers call it on one thread at a time.
 */
final class EndpointWatch implements Resolver.Watcher {
    /** A name in the metadata of an answer, not of its addresses: a change there makes no endpoint another one. */
    private static final String METADATA = "remora.endpoints";

    private final String cluster;
    private final @Nullable ClusterSource source;
    private final Consumer<Addr> answers;
    private boolean warned;
    private boolean warnedOfUnix;

    /**
     * @param source that shows operators the answers; null for endpoints that the configuration lists
     * @param answers gets each answer
     */
    EndpointWatch(String cluster, @Nullable ClusterSource source, Consumer<Addr> answers) {
        this.cluster = cluster;
        this.source = source;
        this.answers = answers;
    }

    @Override
    public void changed(io.remora.naming.Addr told) {
        List<Endpoint> endpoints = told instanceof io.remora.naming.Addr.Bound bound ? bound.endpoints() : List.of();
        if (told instanceof io.remora.naming.Addr.Bound) {
            warnOfPriorities(endpoints);
            answers.accept(of(endpoints));
        } else if (told instanceof io.remora.naming.Addr.Empty) {
            answers.accept(Addrs.negAddr());
        }
        // behind: a reader who sees the answer may rely on it
        if (source != null) {
            source.told(told, endpoints.size());
        }
    }

    // those of the configuration are refused before anything starts
    private void warnOfPriorities(List<Endpoint> endpoints) {
        for (Endpoint endpoint : endpoints) {
            if (!warned
                    && !endpoint.metadata().getOrDefault(Endpoint.PRIORITY, "0").equals("0")) {
                warned = true;
                Log.warn(
                        LogComponent.FINAGLE,
                        "cluster " + cluster + ": engine finagle has no priorities; using all endpoints");
            }
        }
    }

    private void warnOfUnix(Endpoint endpoint) {
        if (!warnedOfUnix) {
            warnedOfUnix = true;
            Log.warn(
                    LogComponent.FINAGLE,
                    "cluster " + cluster + ": engine finagle connects to ports only; leaving out " + endpoint.name());
        }
    }

    @Override
    public void refused(String why) {
        if (source != null) {
            source.refused(why);
        }
    }

    private Addr of(List<Endpoint> endpoints) {
        List<Address> all = new ArrayList<>(endpoints.size());
        Map<String, Map<String, String>> metadata = new HashMap<>();
        for (Endpoint endpoint : endpoints) {
            // those of the configuration are refused before anything starts
            if (!(endpoint.socketAddress() instanceof InetSocketAddress at)) {
                warnOfUnix(endpoint);
                continue;
            }
            Address plain = Addresses.newInetAddress(at);
            all.add(endpoint.weight() == 1 ? plain : WeightedAddress.apply(plain, endpoint.weight()));
            if (!endpoint.metadata().isEmpty()) {
                metadata.put(EndpointCounts.nameOf(at), endpoint.metadata());
            }
        }
        return metadata.isEmpty() ? Addrs.newBoundAddr(all) : Addrs.newBoundAddr(all, Map.of(METADATA, metadata));
    }

    /** Returns the metadata of an answer's endpoints, by their names. */
    @SuppressWarnings("unchecked") // no other code uses the name
    static Map<String, Map<String, String>> metadata(Addr.Bound answer) {
        Option<Object> metadata = answer.metadata().get(METADATA);
        return metadata.isEmpty() ? Map.of() : (Map<String, Map<String, String>>) metadata.get();
    }
}
