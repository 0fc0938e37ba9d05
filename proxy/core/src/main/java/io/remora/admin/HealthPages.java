package io.remora.admin;

import io.remora.http1.WholeRequests;

/** The two pages that a kubelet probes, under any host name. Owner: the admin thread. */
final class HealthPages implements Pages {
    private final ProxyControl control;
    private final AdminServer server;

    HealthPages(ProxyControl control, AdminServer server) {
        this.control = control;
        this.server = server;
    }

    @Override
    public Reply answer(WholeRequests request) {
        String path = RequestTarget.path(request.target());
        boolean live = path.equals(LIVE);
        if (!live && !path.equals(READY)) {
            return Pages.notFound();
        }
        if (!Pages.reads(request)) {
            return Reply.methodNotAllowed(READ_METHODS);
        }
        return live ? Pages.live(server.isLive()) : Pages.ready(control.ready());
    }
}
