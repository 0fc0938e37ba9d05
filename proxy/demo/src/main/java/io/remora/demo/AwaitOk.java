package io.remora.demo;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;

/** Asks a URL until it answers 200, for at most a second: exit status 0, else 1. For scripts on machines without curl. */
public final class AwaitOk {
    private static final long PATIENCE_NS = 1_000_000_000L;
    private static final int PAUSE_MS = 20;

    private AwaitOk() {}

    /** Arguments: the URL. */
    public static void main(String[] arguments) throws InterruptedException {
        System.exit(await(URI.create(arguments[0]), PATIENCE_NS) ? 0 : 1);
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
