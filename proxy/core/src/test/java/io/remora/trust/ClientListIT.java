package io.remora.trust;

import static io.remora.testkit.Stand.GET;
import static org.assertj.core.api.Assertions.assertThat;

import io.remora.testkit.Contract;
import io.remora.testkit.Failure;
import io.remora.testkit.RawClient;
import io.remora.testkit.RawResponse;
import io.remora.testkit.Setup;
import io.remora.testkit.Stand;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which clients are let in by their addresses. The client is at 127.0.0.1. */
@Contract
final class ClientListIT {
    @RegisterExtension
    final Stand stand = new Stand();

    private RawResponse get(String field) throws IOException {
        String line = field.isEmpty() ? "" : field + "\r\n";
        return stand.client()
                .send(GET.substring(0, GET.length() - 2) + line + "\r\n")
                .response();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "allow: [127.0.0.0/8] # '' # 200",
                "allow: [10.0.0.0/8] # '' # 403",
                "deny: [127.0.0.1] # '' # 403",
                "deny: [10.0.0.0/8] # '' # 200",
                "allow: [127.0.0.0/8], deny: [127.0.0.1] # '' # 403",
                "allow: ['::/0'] # '' # 403",
                "allow: ['::ffff:127.0.0.1'] # '' # 200",
                "allow: [127.0.0.0/8] # X-Forwarded-For: 10.0.0.1 # 200",
                "deny: [10.0.0.0/8] # X-Forwarded-For: 10.0.0.1 # 200"
            })
    void goesByThePeer(String lists, String field, int status) throws IOException {
        stand.backend.replyOk();
        stand.start("clients: { " + lists + " }", "");
        assertThat(get(field).status()).isEqualTo(status);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '#',
            value = {
                "allow: [10.0.0.0/8] # X-Forwarded-For: 10.0.0.1 # 200",
                "allow: [10.0.0.0/8] # X-Forwarded-For: 192.0.2.1 # 403",
                "allow: [10.0.0.0/8] # X-Forwarded-For: 10.0.0.1, 192.0.2.1 # 403",
                "allow: [10.0.0.0/8] # X-Forwarded-For: unknown # 403",
                "allow: [10.0.0.0/8] # '' # 403",
                "deny: [192.0.2.0/24] # X-Forwarded-For: 192.0.2.1 # 403",
                "deny: [192.0.2.0/24] # '' # 200",
                "deny: ['2001:db8::/32'] # X-Forwarded-For: 2001:db8::5 # 403"
            })
    void goesByTheClientThatABelievedPeerNames(String lists, String field, int status) throws IOException {
        stand.backend.replyOk();
        stand.start("trust: { cidrs: [127.0.0.0/8] }\nclients: { " + lists + " }", "");
        assertThat(get(field).status()).isEqualTo(status);
    }

    @Test
    void theRefusalIsAFailureOfItsOwn() throws IOException {
        stand.start(Setup.before(stand.backend).listener("clients: { deny: [127.0.0.0/8] }"));
        RawClient client = stand.client();
        stand.refused(client.send(GET).response(), Failure.CLIENT_DENIED);
        assertThat(client.send(GET).response().status())
                .as("the connection goes on")
                .isEqualTo(403);
        assertThat(stand.backend.connections()).isEmpty();
    }

    @Test
    void aRouteHasItsOwn() throws IOException {
        stand.backend.replyOk();
        stand.start(Setup.before(stand.backend)
                .rules("match: { path: /admin }, cluster: app, clients: { allow: [10.0.0.0/8] }", "cluster: app"));
        RawClient client = stand.client();
        assertThat(client.send(GET.replace(" / ", " /admin ")).response().status())
                .isEqualTo(403);
        assertThat(client.send(GET).response().status()).isEqualTo(200);
    }
}
