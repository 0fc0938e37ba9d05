package io.remora.finagle;

import com.twitter.finagle.Addr;
import com.twitter.finagle.Addrs;
import com.twitter.finagle.Dtab;
import com.twitter.finagle.Name;
import com.twitter.finagle.NameTree;
import com.twitter.finagle.Namer$;
import com.twitter.finagle.Path;
import com.twitter.util.Activity;
import com.twitter.util.Activity$;
import com.twitter.util.Closable;
import com.twitter.util.Closable$;
import com.twitter.util.Future;
import com.twitter.util.Updatable;
import com.twitter.util.Var;
import com.twitter.util.Var$;
import io.remora.transport.Loop;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Binds one cluster's name on one event loop. Finagle follows the delegations, and this class has the endpoints at
 * their ends.
 *
 * <p>Owner: the event loop. Bounds: the places that delegations of the configuration lead to, and {@value #KEPT}
 * others.
 */
final class LoopNames {
    private static final int KEPT = 256;

    private final Path name;
    private final Dtab base;
    private final FinaglePlaces places;
    private final Loop loop;
    private final EndpointCounts counts;
    private final Map<Place, Var<Addr>> known = new HashMap<>();
    /** Dtabs as they were written. */
    private final Map<String, Dtab> read = new HashMap<>();

    LoopNames(Path name, Dtab base, FinaglePlaces places, Loop loop, EndpointCounts counts) {
        this.name = name;
        this.base = base;
        this.places = places;
        this.loop = loop;
        this.counts = counts;
    }

    Path name() {
        return name;
    }

    Dtab base() {
        return base;
    }

    /**
     * A dtab as it was written.
     *
     * @throws IllegalArgumentException where it is none
     */
    Dtab dtab(String text) {
        Dtab dtab = read.get(text);
        if (dtab == null) {
            dtab = Dtab.read(text);
            if (read.size() < KEPT) {
                read.put(text, dtab);
            }
        }
        return dtab;
    }

    /** Binds a name as Finagle's own interpreter does, except for the places at the ends. */
    Activity<NameTree<Name.Bound>> bind(Dtab dtab, Path path) {
        try {
            NameWalk.ends(dtab, path);
        } catch (IllegalArgumentException e) {
            // those of the configuration have been judged
            return failed(new RequestDtabs.Refused(String.valueOf(e.getMessage())));
        }
        return Namer$.MODULE$.bind(at -> lookup(dtab, at), new NameTree.Leaf<>(path));
    }

    @SuppressWarnings("unchecked") // nothing is in it
    private static Activity<NameTree<Name.Bound>> failed(Throwable why) {
        return (Activity<NameTree<Name.Bound>>) (Activity<?>) Activity$.MODULE$.exception(why);
    }

    @SuppressWarnings("unchecked") // what can be read as a path can be read as a name
    private Activity<NameTree<Name>> lookup(Dtab dtab, Path path) {
        NameTree<Name.Path> next = dtab.lookup(path);
        if (!NameWalk.isEnd(next)) {
            return Activity$.MODULE$.value((NameTree<Name>) (NameTree<?>) next);
        }
        Place place = Place.of(path);
        if (place.kind() == Place.Kind.NONE) {
            return Namer$.MODULE$.global().lookup(path);
        }
        if (place.kind() == null) {
            return Activity$.MODULE$.value(neg());
        }
        Var<Addr> endpoints = endpoints(place);
        return new Activity<>(endpoints.map(addr -> state(addr, endpoints, place)));
    }

    // no endpoint is as no name, so that the next alternative has its turn
    private static Activity.State<NameTree<Name>> state(Addr addr, Var<Addr> endpoints, Place place) {
        if (addr instanceof Addr.Pending$) {
            return pending();
        }
        return new Activity.Ok<>(
                addr instanceof Addr.Neg$
                        ? neg()
                        : new NameTree.Leaf<>(Name.Bound$.MODULE$.apply(endpoints, place, Path.empty())));
    }

    @SuppressWarnings("unchecked") // nothing is in it
    private static Activity.State<NameTree<Name>> pending() {
        return (Activity.State<NameTree<Name>>) (Activity.State<?>) Activity.Pending$.MODULE$;
    }

    @SuppressWarnings("unchecked") // nothing is in it
    private static NameTree<Name> neg() {
        return (NameTree<Name>) (NameTree<?>) NameTree.Neg$.MODULE$;
    }

    private Var<Addr> endpoints(Place place) {
        Var<Addr> endpoints = known.get(place);
        if (endpoints == null) {
            endpoints = Var$.MODULE$.async(Addrs.pendingAddr(), told -> new Watching(place, told).begin());
            if (known.size() < KEPT) {
                known.put(place, endpoints);
            }
        }
        return endpoints;
    }

    /** A watcher on this loop of the endpoints at a place. */
    private final class Watching {
        private final Place place;
        private final Updatable<Addr> told;
        private @Nullable Addr last;
        private boolean closed;

        Watching(Place place, Updatable<Addr> told) {
            this.place = place;
            this.told = told;
        }

        Closable begin() {
            Runnable end = places.watch(place, this::lookLater);
            lookLater();
            return Closable$.MODULE$.make(deadline -> {
                end.run();
                lookLater(() -> close());
                return Future.Done();
            });
        }

        // never within the call: the caller is not ready for the answer, and Finagle's balancers belong to the loop
        private void lookLater() {
            lookLater(this::look);
        }

        private void lookLater(Runnable what) {
            if (!loop.eventLoop().isShuttingDown()) {
                loop.eventLoop().execute(what);
            }
        }

        // what holds when the loop comes round to it
        private void look() {
            Addr now = places.last(place);
            if (!closed && !now.equals(last)) {
                last = now;
                counts.apply(this, now);
                told.update(now);
            }
        }

        private void close() {
            closed = true;
            counts.apply(this, Addrs.negAddr());
        }
    }
}
