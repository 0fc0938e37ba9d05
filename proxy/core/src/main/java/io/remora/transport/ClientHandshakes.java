package io.remora.transport;

import io.remora.memory.ClientKeys;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A table of handshakes by client.
 *
 * <p>Owner: one event loop. Cost: an entry in a set for each, and a set for each client; a search walks over the clients.
 */
final class ClientHandshakes {
    private final ClientKeys keys = new ClientKeys();
    /** Each client's in the order in which they were added. */
    private final Map<Object, Set<OneHandshake>> byClient = new HashMap<>();

    void add(OneHandshake one) {
        Object key = keys.of(one.client());
        Set<OneHandshake> own = byClient.get(key);
        if (own == null) {
            own = new LinkedHashSet<>();
            byClient.put(key, own);
        }
        own.add(one);
    }

    boolean contains(OneHandshake one) {
        Set<OneHandshake> own = byClient.get(keys.of(one.client()));
        return own != null && own.contains(one);
    }

    /** Removes one; returns whether it was there. */
    boolean remove(OneHandshake one) {
        Object key = keys.of(one.client());
        Set<OneHandshake> own = byClient.get(key);
        if (own == null || !own.remove(one)) {
            return false;
        }
        if (own.isEmpty()) {
            byClient.remove(key);
        }
        return true;
    }

    /**
     * Returns how many handshakes the client of this one has.
     *
     * @param listener of those that this listener counts; null for all
     */
    int count(OneHandshake one, @Nullable Object listener) {
        Set<OneHandshake> own = byClient.get(keys.of(one.client()));
        return own == null ? 0 : count(own, listener);
    }

    private static int count(Set<OneHandshake> own, @Nullable Object listener) {
        if (listener == null) {
            return own.size();
        }
        int count = 0;
        for (OneHandshake one : own) {
            count += one.countsFor(listener) ? 1 : 0;
        }
        return count;
    }

    /**
     * Returns the longest handshake of the client that has most, of several the longest of all; null where there is none.
     *
     * @param listener to look only at those that this listener counts; null for all
     */
    @Nullable
    OneHandshake longestOfMost(@Nullable Object listener) {
        OneHandshake longest = null;
        int most = 0;
        for (Set<OneHandshake> own : byClient.values()) {
            int count = count(own, listener);
            OneHandshake first = count == 0 || count < most ? null : first(own, listener);
            if (first != null && (count > most || longest == null || first.beganNs() - longest.beganNs() < 0)) {
                longest = first;
                most = count;
            }
        }
        return longest;
    }

    /** Returns whether its client has several, and more than any other. */
    boolean isOfMost(OneHandshake one) {
        Set<OneHandshake> own = byClient.get(keys.of(one.client()));
        if (own == null || own.size() == 1) {
            return false;
        }
        for (Set<OneHandshake> others : byClient.values()) {
            if (others != own && others.size() >= own.size()) {
                return false;
            }
        }
        return true;
    }

    private static @Nullable OneHandshake first(Set<OneHandshake> own, @Nullable Object listener) {
        for (OneHandshake one : own) {
            if (listener == null || one.countsFor(listener)) {
                return one;
            }
        }
        return null;
    }
}
