package io.remora.config.yaml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.remora.config.model.Address;
import io.remora.config.model.ConfigException;
import io.remora.config.model.ListenerConfig;
import io.remora.config.model.ProxyConfig;
import io.remora.config.model.SocketConfig;
import io.remora.config.text.ConfigText;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Addresses that are Unix sockets: where they may stand, and who may connect. */
final class SocketConfigTest {
    private static String yaml(String address, String more) {
        return "listeners:\n  - {address: '" + address + "', cluster: app" + more + "}\n"
                + "clusters:\n  app:\n    endpoints: ['unix:/run/app.sock', 'a:1']\n";
    }

    @Test
    void isReadAndHasDefaults() throws ConfigException {
        ProxyConfig config = Yaml.read(yaml("unix:/run/in.sock", ""));
        ListenerConfig listener = config.listeners().get(0);
        assertThat(listener.address().isUnix()).isTrue();
        assertThat(listener.address()).hasToString("unix:/run/in.sock");
        assertThat(listener.socket()).isEqualTo(new SocketConfig(0660, "", ""));
        assertThat(config.clusters().get("app").endpoints())
                .extracting(Address::toString)
                .containsExactly("unix:/run/app.sock", "a:1");
        assertThat(Yaml.read(Yaml.MINIMAL).listeners().get(0).socket()).isNull();
    }

    @Test
    void survivesItsOwnText() throws ConfigException {
        List<String> all = List.of(
                yaml("unix:/run/in.sock", ""),
                yaml("unix:/run/in.sock", ", socket: {mode: '0600', owner: 'app:www-data'}"),
                yaml("unix:/run/in.sock", ", socket: {owner: ':www-data'}"),
                yaml("unix:/run/in.sock", ", socket: {owner: app}"));
        for (String yaml : all) {
            ProxyConfig config = Yaml.read(yaml);
            assertThat(Yaml.read(ConfigText.render(config))).isEqualTo(config);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "unix:run/in.sock | | address is 'unix:run/in.sock', expected unix: and an absolute path in visible"
                        + " ASCII",
                "unix: | | address is 'unix:', expected unix: and an absolute path in visible ASCII",
                "unix:/run/ | | address is 'unix:/run/', expected unix: and an absolute path in visible ASCII",
                "unix:/a b | | address is 'unix:/a b', expected unix: and an absolute path in visible ASCII",
                "a:1 | , socket: {mode: '0600'} | socket requires an address such as unix:/run/app.sock",
                "unix:/a | , socket: {mode: '0888'} | mode is '0888', expected an octal number from 0600 to 0777",
                "unix:/a | , socket: {mode: '0077'} | mode is '0077', expected an octal number from 0600 to 0777",
                "unix:/a | , socket: {mode: '04777'} | mode is '04777', expected an octal number from 0600 to 0777",
                "unix:/a | , socket: {owner: ':'} | owner is ':', expected USER, USER:GROUP or :GROUP",
                "unix:/a | , socket: {owner: 'a b'} | owner is 'a b', expected USER, USER:GROUP or :GROUP",
                "unix:/a | , proxy-protocol: {from: [10.0.0.0/8]} " + "| proxy-protocol requires a listener on a port",
                "unix:/a | , announce: {names: [a]} "
                        + "| announce with the address unix:/a, expected an address that others can reach",
            })
    void tellsWhatDoesNotFit(String address, String more, String problem) {
        assertThat(problems(yaml(address, more == null ? "" : more))).anyMatch(one -> one.endsWith(": " + problem));
    }

    @Test
    void tellsOfALongPathAndOfOneThatIsTaken() {
        String path = "/" + "a".repeat(100);
        assertThat(problems(yaml("unix:" + path, "")))
                .anyMatch(one -> one.endsWith("address has a path of 101 characters, expected at most 100"));
        String twice =
                yaml("unix:/a", "").replace("listeners:\n", "listeners:\n  - {address: 'unix:/a', cluster: app}\n");
        assertThat(problems(twice)).anyMatch(one -> one.contains("address 'unix:/a' is already used by listener"));
        String endpoint = yaml("a:1", "").replace("'a:1']", "'unix:/run/app.sock']");
        assertThat(problems(endpoint)).anyMatch(one -> one.contains("is listed twice"));
    }

    private static List<String> problems(String yaml) {
        List<String> found = new java.util.ArrayList<>();
        assertThatThrownBy(() -> Yaml.read(yaml)).isInstanceOfSatisfying(ConfigException.class, e -> e.problems()
                .forEach(problem -> found.add(problem.toString())));
        return found;
    }
}
