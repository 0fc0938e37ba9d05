package io.remora.discovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.remora.config.model.Address;
import io.remora.config.model.ConfigException;
import io.remora.config.yaml.Problems;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a file with a list of endpoints may say, and where it is told what it may not. */
final class EndpointListTest {
    private static List<ListedEndpoint> read(String text) throws ConfigException {
        return EndpointList.read(text, new Problems("list"));
    }

    @Test
    void readsYamlAndJson() throws ConfigException {
        ListedEndpoint plain = new ListedEndpoint(new Address("10.0.0.1", 80), 1, "", 0);
        ListedEndpoint full = new ListedEndpoint(new Address("fd00::1", 81), 2, "eu/a", 3);
        assertThat(read("- 10.0.0.1:80\n- {address: '[fd00::1]:81', weight: 2, zone: eu/a, priority: 3}\n"))
                .containsExactly(plain, full);
        assertThat(read("[\"10.0.0.1:80\", {\"address\": \"[fd00::1]:81\", \"weight\": 2, \"zone\": \"eu/a\","
                        + " \"priority\": 3}]"))
                .containsExactly(plain, full);
        assertThat(read("- unix:/run/a.sock\n- {address: 'unix:/run/b.sock', weight: 2}\n"))
                .extracting(endpoint -> endpoint.address().toString(), ListedEndpoint::weight)
                .containsExactly(tuple("unix:/run/a.sock", 1), tuple("unix:/run/b.sock", 2));
        assertThat(read("[]")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'a: 1'            | '1:1: the file is a mapping, expected a list of endpoints'",
                "'text'            | '1:1: the file is ''text'', expected a list of endpoints'",
                "'- a:80'          | '1:3: address ''a:80'' has the host ''a'', expected an IPv4 address, or an IPv6"
                        + " address in brackets'",
                "'- 1.2.3.4'       | '1:3: address is ''1.2.3.4'', expected HOST:PORT or [IPV6]:PORT'",
                "'- 1.2.3.4:0'     | '1:3: address ''1.2.3.4:0'' has the port ''0'', expected 1 to 65535'",
                "'- {weight: 1}'   | '1:3: missing address, expected IP:PORT'",
                "'- [1.2.3.4:5]'   | '1:3: endpoint is a list, expected a mapping'",
                "'- {address: 1.2.3.4:5, weight: -1}'     | '1:32: weight is ''-1'', expected a whole number'",
                "'- {address: 1.2.3.4:5, weight: 65536}'  | '1:32: weight is ''65536'', expected 0 to 65535'",
                "'- {address: 1.2.3.4:5, priority: x}'    | '1:34: priority is ''x'', expected a whole number'",
                "'- {address: 1.2.3.4:5, zone: a b}'      | '1:30: zone is ''a b'', expected 1 to 64 letters, digits,"
                        + " ''.'', ''_'', ''-'' or ''/'''",
                "'- {address: 1.2.3.4:5, wieght: 1}'      | '1:24: unknown key ''wieght'', did you mean ''weight''?'",
                "'[1.2.3.4:5, 1.2.3.4:5]' | '1:13: address ''1.2.3.4:5'' is listed twice, first on line 1'",
                "'[unix:/a, unix:/a]' | '1:11: address ''unix:/a'' is listed twice, first on line 1'",
                "'[''[fd00::1]:5'', ''[FD00:0::0:1]:5'']' | '1:17: address ''[FD00:0::0:1]:5'' is listed twice, first"
                        + " on line 1'",
                "'[1.2.3.4:5, ''[::ffff:1.2.3.4]:5'']' | '1:13: address ''[::ffff:1.2.3.4]:5'' is listed twice, first"
                        + " on line 1'",
                "'- ${X}'          | '1:3: environment variable ''X'' is not set; set it, or add a default as in"
                        + " ${X:-default}'",
                "'- &a 1.2.3.4:5'  | '1:3: anchors are not allowed, expected only the value'",
            })
    void tellsWhereAMistakeIs(String text, String problem) {
        assertThatThrownBy(() -> read(text)).isInstanceOf(ConfigException.class).hasMessage("list:" + problem);
    }

    @Test
    void takesNoMoreThanItCanHold() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i <= 10_000; i++) {
            text.append("- 10.0.").append(i >> 8).append('.').append(i & 255).append(":80\n");
        }
        assertThatThrownBy(() -> read(text.toString()))
                .hasMessage("list:1:1: the file has 10001 endpoints, expected at most 10000");
    }
}
