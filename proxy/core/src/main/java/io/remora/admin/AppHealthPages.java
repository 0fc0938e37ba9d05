package io.remora.admin;

import io.remora.config.model.ProxyConfig;
import io.remora.http1.WholeRequests;
import io.remora.probes.AppProbe;
import io.remora.probes.AppProbes;
import io.remora.probes.ProbeOutcome;
import io.remora.probes.ProbeRuns;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The probes of applications, next to the pages of the health listener. Only what injection has recorded is there.
 *
 * <p>Owner: the admin thread. Cost: loaded only where {@code --app-probes} is given.
 */
final class AppHealthPages implements Pages {
    private static final String PREFIX = "/app-health/";
    private static final String METHODS = "GET";

    private final Pages others;
    private final Map<String, ProbeRuns> runs = new HashMap<>();

    private AppHealthPages(Pages others, AppProbes probes) {
        this.others = others;
        for (AppProbe probe : probes.all().values()) {
            runs.put(PREFIX + probe.name(), new ProbeRuns(probe));
        }
    }

    /** Adds the recorded probes to the pages; returns the same pages where there are none. */
    static Pages over(Pages others, ProxyConfig config) {
        AppProbes probes = config.options().get(AppProbes.APP_PROBES);
        return probes == null ? others : new AppHealthPages(others, probes);
    }

    private @Nullable ProbeRuns find(WholeRequests request) {
        return runs.get(RequestTarget.path(request.target()));
    }

    @Override
    public Reply answer(WholeRequests request) {
        return find(request) == null ? others.answer(request) : Reply.methodNotAllowed(METHODS);
    }

    @Override
    public boolean takesTime(WholeRequests request) {
        return request.method().equals(METHODS) && find(request) != null;
    }

    @Override
    public void begin(WholeRequests request, ReloadOutcome then) {
        ProbeRuns asked = find(request);
        if (asked == null) {
            throw new IllegalStateException("no such probe");
        }
        asked.ask(new ProbeOutcome() {
            @Override
            public void told(int status, String text) {
                then.told(status, text);
            }
        });
    }
}
