package io.remora.admin;

import io.remora.http1.WholeRequests;
import org.jspecify.annotations.Nullable;

/**
 * The pages that a kubelet probes, and the metrics where the configuration opens them, under any host name. Owner: the
 * admin thread.
 */
final class HealthPages implements Pages {
    private final ProxyControl control;
    private final AdminServer server;
    /** Null where metrics are the admin listener's alone. */
    private final @Nullable AdminPages metrics;

    HealthPages(ProxyControl control, AdminServer server, @Nullable AdminPages metrics) {
        this.control = control;
        this.server = server;
        this.metrics = metrics;
    }

    @Override
    public Reply answer(WholeRequests request) {
        String path = RequestTarget.path(request.target());
        boolean live = path.equals(LIVE);
        AdminPages scraped = path.equals(AdminPages.METRICS) ? metrics : null;
        if (!live && !path.equals(READY) && scraped == null) {
            return Pages.notFound();
        }
        if (!Pages.reads(request)) {
            return Reply.methodNotAllowed(READ_METHODS);
        }
        if (scraped != null) {
            return scraped.metrics(request);
        }
        return live ? Pages.live(server.isLive()) : Pages.ready(control);
    }
}
