package io.remora.http2;

import io.remora.transport.Handshake;
import io.remora.transport.Link;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an endpoint. The first ones end the handshake of its connection, so that no request is sent to what
 * speaks something else.
 *
 * <p>Owner: one connection. Spec: RFC 9113 section 6.5.2, RFC 8441 section 3.
 */
final class BackendSettings {
    private final Link link;
    private Handshake.@Nullable Outcome waiting;
    private final int ownMaxStreams;
    private int maxStreams = Integer.MAX_VALUE;
    private long maxListOctets = Long.MAX_VALUE;
    private boolean takesConnect;

    /**
     * @param ownMaxStreams the most streams by the cluster's configuration
     */
    BackendSettings(Link link, int ownMaxStreams, Handshake.Outcome waiting) {
        this.link = link;
        this.ownMaxStreams = ownMaxStreams;
        this.waiting = waiting;
    }

    /** Takes over what the endpoint has said; returns whether more streams may be open than before. */
    boolean read(PeerSettings settings) {
        int before = maxStreams();
        long streams = settings.get(Frames.MAX_CONCURRENT_STREAMS);
        if (streams != PeerSettings.ABSENT) {
            maxStreams = (int) Math.min(Integer.MAX_VALUE, streams);
        }
        long list = settings.get(Frames.MAX_HEADER_LIST_SIZE);
        if (list != PeerSettings.ABSENT) {
            maxListOctets = list;
        }
        takesConnect |= settings.get(Frames.ENABLE_CONNECT_PROTOCOL) == 1;
        return maxStreams() > before;
    }

    /** Ends the handshake, if it has not ended yet. */
    void tell() {
        Handshake.Outcome told = waiting;
        if (told == null) {
            return;
        }
        waiting = null;
        if (maxStreams == 0) {
            told.failed(new IOException("the endpoint takes no streams"));
        } else {
            told.ready(link);
        }
    }

    /** Ends the handshake by a failure, if it has not ended yet. */
    void fail(Throwable cause) {
        Handshake.Outcome told = waiting;
        if (told != null) {
            waiting = null;
            told.failed(cause);
        }
    }

    /** Returns how many streams may be open at once, by the endpoint's settings and by the configuration. */
    int maxStreams() {
        return Math.min(ownMaxStreams, maxStreams);
    }

    /** Returns whether the endpoint allows so many streams at once. */
    boolean allow(int streams) {
        return streams <= maxStreams;
    }

    /** Returns whether the endpoint takes a CONNECT that names a protocol. */
    boolean takesConnect() {
        return takesConnect;
    }

    /** Returns whether the endpoint takes a section that large. */
    boolean take(BackendFields section) {
        return maxListOctets == Long.MAX_VALUE || section.listOctets() <= maxListOctets;
    }
}
