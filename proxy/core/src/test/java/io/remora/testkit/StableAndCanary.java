package io.remora.testkit;

import java.io.IOException;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Two backends, each a cluster of its own name, which answer by the letters {@code s} and {@code c}. For one test. */
public final class StableAndCanary implements AfterEachCallback {
    public final RecordingBackend stable = answering("s");
    public final RecordingBackend canary = answering("c");

    private static RecordingBackend answering(String letter) {
        return RecordingBackend.start().reply("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + letter);
    }

    /** A sidecar with this route, see {@link Setup#rules}. */
    public Sidecar with(String route) {
        return Sidecar.start(
                Setup.before(stable, canary).clusters("stable", "canary").rules(route));
    }

    /** The letter of the backend that answers a request with these lines of fields. */
    public static String taken(RawClient client, String fields) throws IOException {
        return client.send("GET / HTTP/1.1\r\nHost: app\r\n" + fields + "\r\n")
                .response()
                .bodyText();
    }

    @Override
    public void afterEach(ExtensionContext test) {
        stable.close();
        canary.close();
    }
}
