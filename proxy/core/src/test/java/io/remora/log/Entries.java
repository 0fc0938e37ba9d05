package io.remora.log;

/** Entries for tests. */
final class Entries {
    private Entries() {}

    static AccessEntry target(String target) {
        return entry(target, null, null);
    }

    static AccessEntry method(String method) {
        return entry(method, "/", null, null);
    }

    static AccessEntry entry(String target, String referer, String userAgent) {
        return entry("GET", target, referer, userAgent);
    }

    private static AccessEntry entry(String method, String target, String referer, String userAgent) {
        return new AccessEntry(
                1_767_323_045_067L,
                "ingress",
                "10.1.2.3",
                "spiffe://mesh/ns/a/sa/b",
                method,
                target,
                "HTTP/1.1",
                "example.org",
                200,
                null,
                null,
                12,
                3_456,
                1_234,
                1_100,
                134,
                "app",
                "127.0.0.1:8081",
                "01JAB",
                referer,
                userAgent,
                "app",
                "0af7651916cd43dd8448eb211c80319c",
                2,
                "connect-failed",
                "TLSv1.3",
                "TLS_AES_128_GCM_SHA256",
                "HTTP/2",
                "ok");
    }
}
