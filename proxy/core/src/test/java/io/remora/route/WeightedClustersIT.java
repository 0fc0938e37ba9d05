package io.remora.route;

import static io.remora.testkit.StableAndCanary.taken;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.RawClient;
import io.remora.testkit.Sidecar;
import io.remora.testkit.StableAndCanary;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** To which of several clusters a request goes. */
@Contract
final class WeightedClustersIT {
    private static final int REQUESTS = 4_000;

    @RegisterExtension
    final StableAndCanary backends = new StableAndCanary();

    /** Nine standard deviations on either side; 50 : 50 or 100 : 0 are far beyond them. */
    @Test
    void byWeight() throws IOException {
        try (Sidecar sidecar =
                        backends.with("clusters: [{cluster: stable, weight: 90}, {cluster: canary, weight: 10}]");
                RawClient client = sidecar.client()) {
            int canaries = 0;
            for (int i = 0; i < REQUESTS; i++) {
                canaries += taken(client, "").equals("c") ? 1 : 0;
            }
            assertThat(canaries).isBetween(REQUESTS / 10 - 171, REQUESTS / 10 + 171);
            sidecar.awaitIdle();
            // which of them shows in what is counted of endpoints
            assertThat(sidecar.metrics().sum("remora_endpoint_outcomes_total", "cluster", "canary"))
                    .isEqualTo(canaries);
        }
    }

    @Test
    void noneByAWeightOfNothing() throws IOException {
        try (Sidecar sidecar = backends.with("clusters: [{cluster: stable, weight: 0}, {cluster: canary, weight: 1}]");
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 200; i++) {
                assertThat(taken(client, "")).isEqualTo("c");
            }
            assertThat(backends.stable.connections()).isEmpty();
        }
    }

    @Test
    void stickByHeaderAndCookie() throws IOException {
        String split = "clusters: [{cluster: stable}, {cluster: canary}], sticky: ";
        for (String sticky : new String[] {"{header: X-User}", "{cookie: user}"}) {
            boolean header = sticky.startsWith("{header");
            try (Sidecar sidecar = backends.with(split + sticky);
                    RawClient client = sidecar.client()) {
                Map<String, String> first = new HashMap<>();
                int canaries = 0;
                for (int i = 0; i < 1_200; i++) {
                    String user = "user-" + i % 400;
                    String field = header ? "X-User: " + user : "Cookie: a=b; user=" + user + "; user2=" + i;
                    String taken = taken(client, field + "\r\n");
                    canaries += taken.equals("c") ? 1 : 0;
                    assertThat(first.merge(user, taken, (before, now) -> before))
                            .as(user)
                            .isEqualTo(taken);
                }
                assertThat(canaries).isBetween(400, 800);
                // who has none of it goes anywhere
                int without = 0;
                for (int i = 0; i < 200; i++) {
                    without +=
                            taken(client, header ? "" : "Cookie: users=1\r\n").equals("c") ? 1 : 0;
                }
                assertThat(without).isBetween(40, 160);
            }
        }
    }

    /** Of those who stay at a cluster only so many move as the weights have moved. */
    @Test
    void moveFewWhenTheWeightsMove() throws IOException {
        Map<String, String> before = users("95", "5");
        Map<String, String> after = users("90", "10");
        int moved = 0;
        for (Map.Entry<String, String> one : before.entrySet()) {
            boolean same = one.getValue().equals(after.get(one.getKey()));
            // nobody leaves the canary
            assertThat(same || one.getValue().equals("s")).isTrue();
            moved += same ? 0 : 1;
        }
        assertThat(moved).isBetween(15, 90);
    }

    private Map<String, String> users(String stableWeight, String canaryWeight) throws IOException {
        Map<String, String> users = new HashMap<>();
        try (Sidecar sidecar = backends.with("clusters: [{cluster: stable, weight: " + stableWeight
                        + "}, {cluster: canary, weight: " + canaryWeight + "}], sticky: {header: X-User}");
                RawClient client = sidecar.client()) {
            for (int i = 0; i < 1_000; i++) {
                users.put("u" + i, taken(client, "X-User: u" + i + "\r\n"));
            }
        }
        return users;
    }

    @Test
    void stickByClient() throws IOException {
        try (Sidecar sidecar = backends.with("clusters: [{cluster: stable}, {cluster: canary}], sticky: client")) {
            int canaries = 0;
            for (int i = 1; i <= 40; i++) {
                String[] taken = new String[3];
                for (int again = 0; again < taken.length; again++) {
                    try (RawClient client = RawClient.connectFrom("127.0.0." + i, sidecar.address())) {
                        taken[again] = taken(client, "");
                    }
                }
                assertThat(taken).containsOnly(taken[0]);
                canaries += taken[0].equals("c") ? 1 : 0;
            }
            assertThat(canaries).isBetween(6, 34);
        }
    }
}
