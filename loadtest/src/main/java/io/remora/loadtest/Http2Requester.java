package io.remora.loadtest;

import java.io.IOException;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/** A connection of HTTP/2 with one stream at a time. */
final class Http2Requester implements Requester {
    private final int port;
    private final @Nullable SSLSocketFactory tls;
    private final Requests requests;
    private @Nullable Http2Connection open;

    Http2Requester(int port, Http2Request request, @Nullable SSLSocketFactory tls) {
        this.port = port;
        this.tls = tls;
        requests = new TalliedRequests(request, new Tally(0));
    }

    @Override
    public int get(String id) throws IOException {
        try {
            Http2Connection current = open;
            if (current == null) {
                current = new Http2Connection(port, true, tls);
                open = current;
            }
            current.send(requests.next(), new Http2Connection.Owed(0, requests));
            return current.receive().status();
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    @Override
    public void close() throws IOException {
        Http2Connection closing = open;
        open = null;
        if (closing != null) {
            closing.close();
        }
    }
}
