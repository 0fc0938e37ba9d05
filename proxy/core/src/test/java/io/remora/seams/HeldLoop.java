package io.remora.seams;

import io.remora.exchange.Stage;
import io.remora.exchange.StagedRequest;
import io.remora.testkit.Await;
import java.util.concurrent.CountDownLatch;

/**
 * A stage that keeps the event loop busy with a request for {@link #PATH}, for as long as the test likes: whatever peers
 * send meanwhile has arrived and has not been read when the request goes on.
 */
public final class HeldLoop extends Stage {
    public static final String PATH = "/busy";
    public static final String REQUEST = "POST " + PATH + " HTTP/1.1\r\nHost: app\r\nContent-Length: 5\r\n\r\nhello";

    private final CountDownLatch busy = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @Override
    public boolean pass(StagedRequest exchange) {
        if (exchange.head().path().equals(PATH)) {
            busy.countDown();
            Await.open(goOn);
        }
        return true;
    }

    public void awaitBusy() {
        Await.open(busy);
    }

    public void letGo() {
        goOn.countDown();
    }
}
