package io.remora.tcp;

import io.remora.http.BodyLength;
import io.remora.http.Fields;
import io.remora.http.Octets;
import io.remora.http.RequestHead;
import io.remora.http.ResponseHead;

/** The heads of an exchange that has none on the wire: what stages and logs see of it. Thread safe. */
final class Heads {
    private static final int SWITCHED = 101;
    private static final String NOTHING = "-";

    private Heads() {}

    /**
     * Returns the request of a client, which is all that it will send.
     *
     * @param name of the server that it wants, empty where it has not said
     */
    static RequestHead request(String name) {
        return new RequestHead(NOTHING, Octets.of(NOTHING), Octets.of(name), NOTHING, new Fields(), BodyLength.UNKNOWN);
    }

    /** Returns the response of an endpoint that is connected; both sides speak raw from then on. */
    static ResponseHead opened() {
        return new ResponseHead(SWITCHED, null, new Fields(), BodyLength.NONE, NOTHING);
    }
}
