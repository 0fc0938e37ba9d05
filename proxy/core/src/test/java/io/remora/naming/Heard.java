package io.remora.naming;

import io.remora.testkit.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/** What a resolver has told. Thread safe. */
final class Heard implements Resolver.Watcher {
    private final List<Addr> words = new ArrayList<>();
    private final List<String> refusals = new ArrayList<>();

    @Override
    public synchronized void changed(Addr addr) {
        words.add(addr);
    }

    @Override
    public synchronized void refused(String why) {
        refusals.add(why);
    }

    synchronized Addr last() {
        return words.get(words.size() - 1);
    }

    synchronized int count() {
        return words.size();
    }

    synchronized List<String> refusals() {
        return List.copyOf(refusals);
    }

    /** The names of the endpoints of the last word; none where it has none. */
    List<String> names() {
        return last() instanceof Addr.Bound bound
                ? bound.endpoints().stream().map(Endpoint::name).toList()
                : List.of();
    }

    void await(String what, Predicate<Addr> wanted) {
        Await.until(what + ", heard last: " + last(), () -> wanted.test(last()));
    }

    void awaitNames(String... names) {
        List<String> wanted = List.of(names);
        if (!Await.within(Await.TIMEOUT_MS, () -> names().equals(wanted))) {
            throw new AssertionError("wanted " + wanted + ", heard last: " + last());
        }
    }
}
