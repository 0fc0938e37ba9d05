package io.remora.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.config.model.Address;
import io.remora.discovery.DnsSource.Family;
import io.remora.json.JsonReader;
import io.remora.naming.Endpoint;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which endpoints EndpointSlices come to. */
final class SlicesTest {
    private static final String HTTP = "[{\"name\":\"http\",\"protocol\":\"TCP\",\"port\":8080}]";

    private static Slice slice(String text) throws IOException {
        JsonReader json = new JsonReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), 8 << 20);
        assertThat(json.document()).isTrue();
        return new SliceReader().read(json);
    }

    /** Ports before or behind the endpoints, as the order of members says nothing. */
    static String text(String name, String type, String ports, String... endpoints) {
        return "{\"ports\":" + ports + ",\"metadata\":{\"name\":\"" + name
                + "\",\"resourceVersion\":\"5\"},\"endpoints\":[" + String.join(",", endpoints) + "],\"addressType\":\""
                + type + "\"}";
    }

    static String endpoint(String address, String conditions) {
        return "{\"addresses\":[\"" + address + "\",\"10.1.1.1\"],\"conditions\":{" + conditions + "},\"zone\":\"z\"}";
    }

    private static Slices slices(@Nullable String port, Family family, String... texts) throws IOException {
        Slices slices = new Slices(port, family);
        for (String text : texts) {
            slices.put(slice(text));
        }
        return slices;
    }

    private static List<String> names(@Nullable String port, Family family, String... texts) throws IOException {
        return slices(port, family, texts).endpoints().stream()
                .map(Endpoint::name)
                .toList();
    }

    @Test
    void joinsWithoutDuplicates() throws IOException {
        String one = text("a", "IPv4", HTTP, endpoint("10.0.0.2", "\"ready\":true"), endpoint("10.0.0.1", ""));
        String two =
                text("b", "IPv4", HTTP, endpoint("10.0.0.2", "\"ready\":true"), endpoint("10.0.0.3", "\"ready\":null"));
        Slices slices = slices("http", Family.AUTO, one, two);
        assertThat(slices.endpoints())
                .extracting(Endpoint::name)
                .containsExactly("10.0.0.1:8080", "10.0.0.2:8080", "10.0.0.3:8080");
        assertThat(slices.endpoints())
                .allMatch(each -> "z".equals(each.metadata().get(Endpoint.ZONE)));
        slices.remove("a");
        slices.remove("never there");
        assertThat(slices.endpoints()).hasSize(2);
        slices.put(slice(text("b", "IPv4", HTTP)));
        assertThat(slices.endpoints()).isEmpty();
    }

    @Test
    void takesThoseThatLeaveOnlyWhereNoneIsReady() throws IOException {
        String leaving = endpoint("10.0.0.1", "\"ready\":false,\"serving\":true,\"terminating\":true");
        String gone = endpoint("10.0.0.2", "\"ready\":false,\"serving\":false,\"terminating\":true");
        String starting = endpoint("10.0.0.3", "\"ready\":false,\"serving\":false,\"terminating\":false");
        String ready = endpoint("10.0.0.4", "\"ready\":true,\"serving\":true,\"terminating\":false");
        String published = endpoint("10.0.0.5", "\"ready\":true,\"serving\":false,\"terminating\":true");
        assertThat(names(null, Family.AUTO, text("a", "IPv4", HTTP, leaving, gone, starting, ready)))
                .containsExactly("10.0.0.4:8080");
        assertThat(names(null, Family.AUTO, text("a", "IPv4", HTTP, leaving, gone, starting)))
                .containsExactly("10.0.0.1:8080");
        assertThat(names(null, Family.AUTO, text("a", "IPv4", HTTP, gone, starting)))
                .isEmpty();
        // who publishes what is not ready gets it
        assertThat(names(null, Family.AUTO, text("a", "IPv4", HTTP, leaving, published)))
                .containsExactly("10.0.0.5:8080");
    }

    @Test
    void findsThePort() throws IOException {
        String ports = "[{\"name\":\"dns\",\"protocol\":\"UDP\",\"port\":53},{\"name\":\"http\",\"port\":8080},"
                + "{\"name\":\"\",\"port\":9090,\"protocol\":\"TCP\"}]";
        String both = text("a", "IPv4", ports, endpoint("10.0.0.1", ""));
        assertThat(names("http", Family.AUTO, both)).containsExactly("10.0.0.1:8080");
        assertThat(names("9090", Family.AUTO, both)).containsExactly("10.0.0.1:9090");
        assertThat(names("53", Family.AUTO, both)).isEmpty();
        assertThat(names("dns", Family.AUTO, both)).isEmpty();
        assertThat(names(null, Family.AUTO, both)).isEmpty();
        assertThat(slices(null, Family.AUTO, both).lacksPort()).isTrue();
        assertThat(slices("http", Family.AUTO, both).lacksPort()).isFalse();
        String each = text("a", "IPv4", "[{\"name\":\"\",\"port\":null}]", endpoint("10.0.0.1", ""));
        assertThat(names("7070", Family.AUTO, each)).containsExactly("10.0.0.1:7070");
        assertThat(names("http", Family.AUTO, each)).isEmpty();
        assertThat(names(null, Family.AUTO, each)).isEmpty();
        assertThat(names(null, Family.AUTO, text("a", "IPv4", "null", endpoint("10.0.0.1", ""))))
                .isEmpty();
    }

    @Test
    void takesTheAddressesThatAreWanted() throws IOException {
        String four = text("a", "IPv4", HTTP, endpoint("10.0.0.1", ""));
        String six = text("b", "IPv6", HTTP, endpoint("fd00::1", ""));
        String name = text("c", "FQDN", HTTP, endpoint("a.example", ""));
        String v6 = "[fd00:0:0:0:0:0:0:1]:8080";
        assertThat(names(null, Family.AUTO, four, six, name)).containsExactly("10.0.0.1:8080");
        assertThat(names(null, Family.AUTO, six, name)).containsExactly(v6);
        assertThat(names(null, Family.BOTH, four, six)).containsExactly("10.0.0.1:8080", v6);
        assertThat(names(null, Family.IPV6, four, six)).containsExactly(v6);
        assertThat(names(null, Family.IPV4, six)).isEmpty();
        assertThat(names(null, Family.AUTO, name)).isEmpty();
    }

    @Test
    void isBounded() throws IOException {
        String[] many = new String[6_000];
        for (int i = 0; i < many.length; i++) {
            many[i] = endpoint("10.0." + i / 250 + "." + i % 250, "");
        }
        Slices slices = slices(null, Family.AUTO, text("a", "IPv4", HTTP, many));
        assertThat(slices.endpoints()).hasSize(6_000);
        Slice second = slice(text("b", "IPv4", HTTP, many));
        assertThatThrownBy(() -> slices.put(second)).hasMessage("more than 10000 endpoints");
        String[] more = new String[10_001];
        java.util.Arrays.fill(more, many[0]);
        assertThatThrownBy(() -> slice(text("a", "IPv4", HTTP, more))).hasMessage("more than 10000 endpoints");
    }

    @Test
    void asksThePodWhatItIsNotTold(@TempDir Path directory) throws IOException {
        assertThat(KubernetesPod.server("app", "10.0.0.1", "443")).isEqualTo(new Address("10.0.0.1", 443));
        assertThat(KubernetesPod.server("app", "fd00::1", "443")).isEqualTo(new Address("fd00::1", 443));
        for (String host : new String[] {null, "", "name"}) {
            assertThatThrownBy(() -> KubernetesPod.server("app", host, "443")).hasMessageContaining("no API server");
        }
        assertThatThrownBy(() -> KubernetesPod.server("app", "10.0.0.1", "x")).hasMessageContaining("no API server");
        Path file = Files.writeString(directory.resolve("namespace"), "team\n");
        assertThat(KubernetesPod.namespace("app", file.toString())).isEqualTo("team");
        assertThatThrownBy(() -> KubernetesPod.namespace("app", file + "x")).hasMessageContaining("no namespace");
    }
}
