package io.remora.demo;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;

/** Asks a URL until it answers 200: exit status 0, or 1 when time is up. For scripts on machines without curl. */
public final class AwaitOk {
    private static final long NS_PER_MS = 1_000_000;
    private static final int PAUSE_MS = 20;

    private AwaitOk() {}

    /** Arguments: the URL, and for how many milliseconds it is asked; once for 0. */
    public static void main(String[] arguments) throws InterruptedException {
        System.exit(await(URI.create(arguments[0]), Long.parseLong(arguments[1]) * NS_PER_MS) ? 0 : 1);
    }

    static boolean await(URI uri, long patienceNs) throws InterruptedException {
        long startNs = System.nanoTime();
        while (!isOk(uri)) {
            if (System.nanoTime() - startNs > patienceNs) {
                return false;
            }
            Thread.sleep(PAUSE_MS);
        }
        return true;
    }

    private static boolean isOk(URI uri) {
        try {
            HttpURLConnection connection = (HttpURLConnection) uri.toURL().openConnection();
            connection.setConnectTimeout(1_000);
            connection.setReadTimeout(1_000);
            return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
        } catch (IOException e) {
            return false;
        }
    }
}
