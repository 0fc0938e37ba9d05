package io.remora.finagle;

import com.twitter.finagle.Addr;
import com.twitter.finagle.Address;
import com.twitter.finagle.Addresses;
import com.twitter.finagle.Addrs;
import com.twitter.finagle.addr.WeightedAddress;
import com.twitter.util.ReadWriteVar;
import com.twitter.util.Var;
import io.remora.http.Failure;
import io.remora.log.Log;
import io.remora.naming.Endpoint;
import io.remora.naming.Resolver;
import java.util.ArrayList;
import java.util.List;

/**
 * What a cluster's resolver has told, as Finagle's balancers watch it. A word that is no answer leaves the last answer in place,
 * as a lost source says nothing of its endpoints.
 *
 * <p>Thread safe; resolvers tell on one thread at a time.
 */
final class EndpointVar implements Resolver.Watcher {
    private final String cluster;
    private final ReadWriteVar<Addr> addr = new ReadWriteVar<>(Addrs.pendingAddr());
    private boolean answered;

    EndpointVar(String cluster) {
        this.cluster = cluster;
    }

    Var<Addr> var() {
        return addr;
    }

    @Override
    public void changed(io.remora.naming.Addr told) {
        if (told instanceof io.remora.naming.Addr.Bound bound) {
            answered = true;
            addr.update(of(bound.endpoints()));
        } else if (told instanceof io.remora.naming.Addr.Empty) {
            answered = true;
            addr.update(Addrs.negAddr());
        } else if (told instanceof io.remora.naming.Addr.Failed failed) {
            Log.warn("cluster " + cluster + ": " + failed.reason());
            if (!answered) {
                addr.update(Addrs.newFailedAddr(new EndpointFailure(Failure.NOT_RESOLVED)));
            }
        }
    }

    @Override
    public void refused(String why) {
        Log.warn("cluster " + cluster + ": " + why + "; this is refused, and what was there before stays in use");
    }

    private static Addr of(List<Endpoint> endpoints) {
        List<Address> all = new ArrayList<>(endpoints.size());
        for (Endpoint endpoint : endpoints) {
            Address plain = Addresses.newInetAddress(endpoint.socketAddress());
            all.add(endpoint.weight() == 1 ? plain : WeightedAddress.apply(plain, endpoint.weight()));
        }
        return Addrs.newBoundAddr(all);
    }
}
