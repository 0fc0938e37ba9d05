package io.remora.testkit;

import java.io.IOException;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Two clusters, {@code stable} and {@code canary}, whose backends answer {@code s} and {@code c}, and one route that a test chooses. */
public final class SplitStand implements AfterEachCallback {
    public final RecordingBackend stable = answering("s");
    public final RecordingBackend canary = answering("c");

    private static RecordingBackend answering(String letter) {
        return RecordingBackend.start().reply("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + letter);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        stable.close();
        canary.close();
    }

    /**
     * @param route as YAML on one line, without braces
     */
    public Sidecar with(String route) {
        return with(route, "'127.0.0.1:${BACKEND}'");
    }

    /**
     * @param stableEndpoints of the first cluster, as YAML
     */
    public Sidecar with(String route, String stableEndpoints) {
        String yaml = """
                admin: {address: '127.0.0.1:0'}
                log-level: error
                listeners:
                  - name: test
                    address: '127.0.0.1:0'
                    routes: [{ROUTE}]
                  - {name: barrier, address: '127.0.0.1:0', cluster: barrier}
                clusters:
                  stable: {endpoints: [STABLE]}
                  canary: {endpoints: ['127.0.0.1:${BACKEND_1}']}
                  barrier: {endpoints: ['127.0.0.1:${BARRIER}']}
                """;
        return Sidecar.of(yaml.replace("ROUTE", route).replace("STABLE", stableEndpoints), stable, canary);
    }

    /** Which of them answers, by its letter. */
    public static String taken(RawClient client, String fields) throws IOException {
        return client.send("GET / HTTP/1.1\r\nHost: app\r\n" + fields + "\r\n")
                .response()
                .bodyText();
    }
}
