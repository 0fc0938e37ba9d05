package io.remora.metrics;

/**
 * The facts about an endpoint that are not counted, from the object that knows them. Loaded only where something takes
 * endpoints out of use, or learns how long they take.
 *
 * <p>Thread safe: the page of clusters reads it, on the admin thread.
 */
public interface EndpointView {
    Known known();

    /**
     * The endpoint's state at one moment.
     *
     * @param state {@code in-use}, {@code out}, {@code probing} while one request tries it, or {@code panic} where it
     *     is out and used all the same; empty where nothing takes it out
     * @param reason why it is out; empty for none
     * @param stateNs for how long it has been in use, or out; -1 where it has never been out
     * @param returnsNs until a request may try it; -1 where it does not wait for that
     * @param latencyUs of its responses, as the balancer knows it; 0 before the first one, -1 where it is not learnt
     */
    record Known(String state, String reason, long stateNs, long returnsNs, int latencyUs) {}
}
