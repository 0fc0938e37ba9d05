package io.remora.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.json.JsonException;
import io.remora.json.JsonReader;
import io.remora.naming.Endpoint;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is taken of an answer of Consul. */
final class ConsulAnswerTest {
    static List<Endpoint> read(boolean passingOnly, String text) throws IOException {
        JsonReader json = new JsonReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), 8 << 20);
        assertThat(json.document()).isTrue();
        List<Endpoint> endpoints = new ConsulAnswer(passingOnly).read(json);
        assertThat(json.document()).isFalse();
        return endpoints;
    }

    private static String instance(String node, String service, String... states) {
        StringBuilder checks = new StringBuilder();
        for (String state : states) {
            checks.append(checks.isEmpty() ? "" : ",")
                    .append("{\"Status\":\"")
                    .append(state)
                    .append("\",\"Output\":\"x\"}");
        }
        return "{\"Node\":{\"ID\":\"x\",\"Address\":\"10.9.9.9\"" + node + "},\"Service\":{\"ID\":\"a\"" + service
                + ",\"Tags\":null},\"Checks\":[" + checks + "]}";
    }

    @Test
    void takesAddressPortAndWeight() throws IOException {
        String own = instance("", ",\"Address\":\"10.0.0.2\",\"Port\":80,\"Weights\":{\"Passing\":3,\"Warning\":1}");
        String nodes = instance("", ",\"Address\":\"\",\"Port\":81");
        String six = instance("", ",\"Address\":\"fd00::1\",\"Port\":82");
        List<Endpoint> endpoints = read(true, "[" + own + "," + nodes + "," + six + "," + own + "]");
        assertThat(endpoints)
                .extracting(Endpoint::name)
                .containsExactly("10.0.0.2:80", "10.9.9.9:81", "[fd00:0:0:0:0:0:0:1]:82");
        assertThat(endpoints).extracting(Endpoint::weight).containsExactly(3, 1, 1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "|| ''",
                ",\"Meta\":{\"zone\":\"a\",\"x\":\"y\"} || a",
                ",\"Meta\":{\"zone\":\"a\"},\"Locality\":{\"Region\":\"r\",\"Zone\":\"b\"} || b",
                ",\"Locality\":{\"Zone\":\"b\"} | ,\"Locality\":{\"Zone\":\"c\"} | c",
                ",\"Meta\":{\"zone\":\"not a name\"} || ''",
                ",\"Meta\":null || ''"
            })
    void takesTheZone(String node, String service, String zone) throws IOException {
        String text = instance(node == null ? "" : node, ",\"Port\":1" + (service == null ? "" : service), "passing");
        assertThat(read(true, "[" + text + "]").get(0).metadata().getOrDefault(Endpoint.ZONE, ""))
                .isEqualTo(zone);
    }

    @ParameterizedTest
    @CsvSource({"passing, 5, 5", "warning, 0, 2", "critical, 0, 0", "maintenance, 0, 0", "unheard, 0, 0"})
    void goesByTheWorstCheck(String state, int strict, int loose) throws IOException {
        String weights = ",\"Port\":1,\"Weights\":{\"Passing\":5,\"Warning\":2}";
        String text = "[" + instance("", weights, "passing", state, "passing") + "]";
        assertThat(read(true, text).stream().mapToInt(Endpoint::weight).sum()).isEqualTo(strict);
        assertThat(read(false, text).stream().mapToInt(Endpoint::weight).sum()).isEqualTo(loose);
    }

    @Test
    void leavesOutWhatHasNoAddressOrPort() throws IOException {
        assertThat(read(true, "[" + instance("", ",\"Address\":\"db.example\",\"Port\":1") + "]"))
                .isEmpty();
        assertThat(read(true, "[" + instance("", ",\"Port\":0") + "]")).isEmpty();
        assertThat(read(true, "[" + instance("", ",\"Port\":65536") + "]")).isEmpty();
        assertThat(read(true, "[{}, null]")).isEmpty();
        assertThat(read(true, "null")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "\"\"",
                "[[]]",
                "[{\"Service\":[]}]",
                "[{\"Service\":{\"Port\":\"80\"}}]",
                "[{\"Service\":{\"Port\":1.5}}]",
                "[{\"Checks\":{}}]",
                "[{\"Node\":{\"Address\":1}}]"
            })
    void refusesWhatIsOfAnotherShape(String text) {
        assertThatThrownBy(() -> read(true, text)).isInstanceOf(JsonException.class);
    }

    @Test
    void isBounded() {
        StringBuilder many = new StringBuilder("[");
        for (int i = 1; i <= 10_001; i++) {
            many.append(i == 1 ? "" : ",")
                    .append("{\"Service\":{\"Address\":\"10.0.0.1\",\"Port\":")
                    .append(i)
                    .append("}}");
        }
        assertThatThrownBy(() -> read(true, many + "]")).hasMessage("more than 10000 instances");
    }
}
