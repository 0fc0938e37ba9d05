package io.remora.testkit;

/** Requests of HTTP/1.1 for the host {@code app}, as octets. */
public final class Requests {
    private Requests() {}

    public static String get(String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: app\r\n\r\n";
    }

    public static String post(String path, String body) {
        return "POST " + path + " HTTP/1.1\r\nHost: app\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }
}
