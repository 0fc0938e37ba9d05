package io.remora.http1;

import io.remora.exchange.ListenerLoop;
import io.remora.transport.Acceptor;
import io.remora.transport.Link;

/** Speaks HTTP/1 on a listener's accepted connections. Owner: one event loop. */
public final class Http1FrontendProtocol implements Acceptor.Protocol {
    private final ListenerLoop listener;
    private final HeadWriter heads = new HeadWriter();

    public Http1FrontendProtocol(ListenerLoop listener) {
        this.listener = listener;
    }

    @Override
    public void accept(Link link) {
        Http1FrontendConnection.install(listener, link, heads);
    }
}
