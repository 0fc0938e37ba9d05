package io.remora.tcp;

import io.remora.exchange.ListenerLoop;
import io.remora.transport.Acceptor;
import io.remora.transport.Link;

/** Makes each of a listener's accepted connections a tunnel. Owner: one event loop. */
public final class FrontendProtocol implements Acceptor.Protocol {
    private final ListenerLoop listener;

    public FrontendProtocol(ListenerLoop listener) {
        this.listener = listener;
    }

    @Override
    public void accept(Link link) {
        FrontendConnection.install(listener, link);
    }
}
