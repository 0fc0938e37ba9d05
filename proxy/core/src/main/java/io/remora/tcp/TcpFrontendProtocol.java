package io.remora.tcp;

import io.remora.exchange.ListenerLoop;
import io.remora.transport.Acceptor;
import io.remora.transport.Link;

/** Makes each of a listener's accepted connections a tunnel. Owner: one event loop. */
public final class TcpFrontendProtocol implements Acceptor.Protocol {
    private final ListenerLoop listener;

    public TcpFrontendProtocol(ListenerLoop listener) {
        this.listener = listener;
    }

    @Override
    public void accept(Link link) {
        TcpFrontendConnection.install(listener, link);
    }
}
