package io.remora.detect;

import io.remora.exchange.ListenerLoop;
import io.remora.metrics.DetectStats;
import io.remora.transport.Acceptor;
import io.remora.transport.Link;

/**
 * Finds out for each of a listener's accepted connections whether it carries requests, and hands it to who speaks that. A client that has agreed
 * by ALPN on what it speaks has said so.
 *
 * <p>Owner: one event loop.
 */
public final class DetectingProtocol implements Acceptor.Protocol {
    private static final String H2 = "h2";

    private final ListenerLoop listener;
    private final DetectStats stats;
    private final Acceptor.Protocol requests;
    private final Acceptor.Protocol tunnels;

    /**
     * @param requests which tells HTTP/1 from HTTP/2 itself
     * @param tunnels for all else
     */
    public DetectingProtocol(
            ListenerLoop listener, DetectStats stats, Acceptor.Protocol requests, Acceptor.Protocol tunnels) {
        this.listener = listener;
        this.stats = stats;
        this.requests = requests;
        this.tunnels = tunnels;
    }

    @Override
    public void accept(Link link) {
        DetectConfig now = listener.snapshot().config().options().get(DetectConfig.DETECT);
        if (link.protocol() != null || now == null) {
            stats.agreed(H2.equals(link.protocol()) ? DetectStats.HTTP2 : DetectStats.HTTP1);
            requests.accept(link);
        } else {
            Detection.begin(listener, link, stats, now.timeoutNs(), requests, tunnels);
        }
    }
}
