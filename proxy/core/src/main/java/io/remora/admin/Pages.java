package io.remora.admin;

import io.netty.handler.codec.http.HttpRequest;

/** The pages that the admin listener or the health listener serves. Owner: the admin thread. */
interface Pages {
    String READ_METHODS = "GET, HEAD";

    /** Answers a request immediately; {@code body} is its complete body. */
    Reply answer(HttpRequest request, String body);

    static boolean reads(HttpRequest request) {
        String method = request.method().name();
        return method.equals("GET") || method.equals("HEAD");
    }

    static Reply live() {
        return Reply.text(200, "live\n");
    }

    static Reply ready(boolean ready) {
        return ready ? Reply.text(200, "ready\n") : Reply.text(503, "not ready\n");
    }

    static Reply notFound() {
        return Reply.text(404, "no such page\n");
    }
}
