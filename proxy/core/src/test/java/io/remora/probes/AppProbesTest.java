package io.remora.probes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The JSON of recorded probes: what it gives, and what is refused. */
final class AppProbesTest {
    @Test
    void readsEachActionWithItsDefaults() {
        AppProbes probes = AppProbesReader.read("""
                {"web": {
                   "readiness": {"httpGet": {"port": 8080, "path": "ready?x=a b", "scheme": "HTTPS", "host": "::1",
                       "httpHeaders": [{"name": "Host", "value": "web"}, {"name": "X-A", "value": ""},
                       {"name": "Connection", "value": "close"}]},
                     "timeoutSeconds": 700},
                   "liveness": {"tcpSocket": {"port": 1}},
                   "startup": {"httpGet": {"port": 2}}},
                 "rpc": {"startup": {"grpc": {"port": 65535, "service": "a.B"}}}}
                """);
        assertThat(probes.all().values())
                .containsExactlyInAnyOrder(
                        new AppProbe(
                                "web/readiness",
                                AppProbe.Kind.HTTPS,
                                "::1",
                                8080,
                                "/ready?x=a%20b",
                                List.of("Host", "web", "X-A", ""),
                                "",
                                60_000),
                        new AppProbe("web/liveness", AppProbe.Kind.TCP, null, 1, "/", List.of(), "", 1_000),
                        new AppProbe("web/startup", AppProbe.Kind.HTTP, null, 2, "/", List.of(), "", 1_000),
                        new AppProbe("rpc/startup", AppProbe.Kind.GRPC, null, 65_535, "/", List.of(), "a.B", 1_000));
        assertThat(probes.find("web/liveness")).isNotNull();
        assertThat(probes.find("rpc/liveness")).isNull();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            {                                                   | is not valid: JSON
            []                                                  | is not valid: JSON: expected an object
            {} {}                                               | goes on behind its object
            {'Web': {}}                                         | Web is not the name of a container
            {'web': null}                                       | web is null
            {'web': {'ready': {}}}                              | web.ready is no probe, expected startup
            {'web': {'preStop': {'httpGet': {'port': 1}}}}      | web.preStop is no probe, expected startup, readiness or
            {'web': {'postStart': {'httpGet': {'port': 1}}}}    | web.postStart is no probe
            {'web': {'startup': {}}}                            | web.startup has no action, expected httpGet
            {'web': {'startup': {'exec': {}}}}                  | web.startup has the unknown key 'exec', expected httpGet
            {'web': {'startup': {'tcpSocket': {}}}}             | web.startup.tcpSocket has no port
            {'web': {'startup': {'tcpSocket': {'port': 0}}}}    | web.startup.tcpSocket.port is 0, expected 1 to 65535
            {'web': {'startup': {'tcpSocket': {'port': 65536}}}}| web.startup.tcpSocket.port is 65536
            {'web': {'startup': {'tcpSocket': {'port': 'a'}}}}  | web.startup.tcpSocket is not valid: JSON: expected a whole
            {'web': {'startup': {'tcpSocket': {'port': 1, 'path': '/'}}}}    | unknown key 'path', expected port or host
            {'web': {'startup': {'grpc': {'port': 1, 'host': 'a'}}}}         | unknown key 'host', expected port or service
            {'web': {'startup': {'grpc': {'port': 1, 'service': 'a b'}}}}    | service is 'a b', expected visible ASCII
            {'web': {'startup': {'httpGet': {'port': 1, 'scheme': 'http'}}}} | scheme is 'http', expected HTTP or HTTPS
            {'web': {'startup': {'httpGet': {'port': 1, 'host': 'a b'}}}}    | host is 'a b', expected visible ASCII
            {'web': {'startup': {'httpGet': {'port': 1, 'httpHeaders': [{'name': 'a b', 'value': ''}]}}}} | httpHeaders has 'a b'
            {'web': {'startup': {'httpGet': {'port': 1, 'httpHeaders': [{'name': 'A', 'value': '\\n'}]}}}} | httpHeaders has 'A'
            {'web': {'startup': {'grpc': {'port': 1}, 'timeoutSeconds': 0}}} | web.startup.timeoutSeconds is 0, expected 1 to 2147483647
            {'web': {'startup': {'grpc': {'port': 1}, 'tcpSocket': {'port': 1}}}} | web.startup.tcpSocket is a second action
            {'web': {'startup': {'grpc': {'port': 1}}, 'startup': {'grpc': {'port': 1}}}} | web.startup stands there a second time
            """)
    void refusesWhatItDoesNotKnow(String json, String problem) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AppProbesReader.read(json.replace('\'', '"')))
                .withMessageStartingWith("--app-probes")
                .withMessageContaining(problem);
    }

    @Test
    void boundsTheNumberOfProbesAndOctets() {
        String probe = "\"liveness\": {\"tcpSocket\": {\"port\": 1}}";
        StringBuilder json = new StringBuilder("{");
        for (int i = 0; i <= AppProbesReader.MAX_PROBES; i++) {
            json.append(i == 0 ? "" : ",")
                    .append("\"c")
                    .append(i)
                    .append("\": {")
                    .append(probe)
                    .append('}');
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AppProbesReader.read(json.append('}').toString()))
                .withMessage("--app-probes: c64.liveness is one probe too many, expected at most 64");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> AppProbesReader.read("{" + " ".repeat(1 << 16) + "}"))
                .withMessage("--app-probes is 65538 octets, expected at most 65536");
    }
}
