package io.remora.http2;

import io.remora.seams.Http2Backend;
import io.remora.seams.SeamStand;
import io.remora.serving.Seams;

/** Sidecars before endpoints that speak HTTP/2. */
final class Http2Stand {
    /** The number of a connection's first stream; 1 is what an upgraded request would have. */
    static final int FIRST = 3;

    private Http2Stand() {}

    static SeamStand before(Http2Backend... backends) {
        return before("", backends);
    }

    /**
     * @param cluster more lines of the cluster, not indented
     */
    static SeamStand before(String cluster, Http2Backend... backends) {
        int[] ports = new int[backends.length];
        for (int i = 0; i < ports.length; i++) {
            ports[i] = backends[i].port();
        }
        return SeamStand.start(new Seams(), SeamStand.config("", "protocol: http2\n" + cluster, ports));
    }

    /** A GET of a path, as a client of HTTP/1.1 sends it. */
    static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: app\r\n\r\n";
    }

    static String post(String path, String body) {
        return "POST " + path + " HTTP/1.1\r\nHost: app\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }
}
