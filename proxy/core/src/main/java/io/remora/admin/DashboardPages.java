package io.remora.admin;

import io.remora.http1.WholeRequests;
import io.remora.log.Log;
import io.remora.process.Entropy;
import io.remora.text.Pieces;
import io.remora.transport.Link;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The dashboard: its page, with a style and a script of its own, and its events. Loaded by its first request.
 *
 * <p>Owner: the admin thread. Bounds: the page is at most 60 kB in all.
 */
final class DashboardPages {
    /** The events of the page. */
    private static final String EVENTS = "/events";

    /** Fields that let the page load only files of the listener, with nothing inline, and no other page frame it. */
    private static final String FIELDS = """
            Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';\
             img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r
            Cross-Origin-Resource-Policy: same-origin\r
            Referrer-Policy: no-referrer\r
            X-Frame-Options: DENY\r
            """;

    private static final String EVENT_STREAM = "text/event-stream; charset=utf-8";
    private static final int TOKEN_OCTETS = 16;

    private final String path;
    private final String scheme;
    private final Viewers viewers;
    /** Empty where the page has no buttons. */
    private final String token;
    /** True when a button takes profiles. */
    private final boolean profiles;

    /**
     * @param path of the page; its parts are below it
     * @param acts whether the page has buttons
     * @param profiles whether clients may take profiles
     */
    DashboardPages(String path, String scheme, Viewers viewers, boolean acts, boolean profiles) {
        this.path = path;
        this.scheme = scheme;
        this.viewers = viewers;
        this.token = acts ? newToken() : "";
        this.profiles = profiles;
    }

    private static String newToken() {
        try {
            return Entropy.hex(TOKEN_OCTETS);
        } catch (IOException e) {
            Log.warn("dashboard: no random token (" + e.getMessage() + "); the page has no buttons");
            return "";
        }
    }

    /** Answers a request for the page, or a part of it. */
    Reply answer(WholeRequests request, String target) {
        if (!Pages.reads(request)) {
            return Reply.methodNotAllowed(Pages.READ_METHODS);
        }
        return switch (target.substring(path.length())) {
            case "" -> page();
            case "/page.css" -> part("dashboard.css", "text/css; charset=utf-8");
            case "/page.js" -> part("dashboard.js", "text/javascript; charset=utf-8");
            case EVENTS -> refusedEvents(request);
            default -> Pages.notFound();
        };
    }

    private Reply page() {
        try {
            String text = read("dashboard.html");
            return guarded("text/html; charset=utf-8", text.replace("{buttons}", token.isEmpty() ? "" : buttons()));
        } catch (IOException e) {
            return unreadable(e);
        }
    }

    private String buttons() throws IOException {
        String profile = profiles ? read("dashboard-profile.html") : "";
        return read("dashboard-buttons.html").replace("{token}", token).replace("{profile}", profile);
    }

    private static Reply part(String name, String type) {
        try {
            return guarded(type, read(name));
        } catch (IOException e) {
            return unreadable(e);
        }
    }

    private static Reply guarded(String type, String text) {
        return new Reply(200, type, Pieces.of(text), FIELDS);
    }

    private static Reply unreadable(IOException e) {
        return Reply.text(500, "the dashboard cannot be read: " + e.getMessage() + '\n');
    }

    private static String read(String name) throws IOException {
        try (InputStream in = DashboardPages.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IOException("the jar has no " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The answer to a request for events that {@link #takeOver} does not take. */
    private Reply refusedEvents(WholeRequests request) {
        if (!OriginCheck.isOwn(request, scheme)) {
            return Reply.text(403, "requests from other web pages are not allowed\n");
        }
        return request.method().equals("HEAD")
                ? new Reply(200, EVENT_STREAM, null, null)
                : Reply.text(503, "the dashboard has " + Viewers.MOST + " viewers, which is the limit\n");
    }

    /** Takes the connection of a request for events, if there is room for another viewer. */
    boolean takeOver(WholeRequests request, String target, Link link, long leftNs) {
        boolean takes = target.substring(path.length()).equals(EVENTS)
                && request.method().equals("GET")
                && OriginCheck.isOwn(request, scheme)
                && !viewers.isFull();
        if (takes) {
            viewers.add(link, leftNs);
        }
        return takes;
    }

    /** Returns the reply that refuses a request of a web page that changes something; null for one of the dashboard. */
    @Nullable
    Reply refuseAct(WholeRequests request) {
        return OriginCheck.refuse(request, scheme, token);
    }
}
