package io.remora.finagle;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.config.model.ConfigException;
import io.remora.config.model.Problem;
import io.remora.config.yaml.ConfigReader;
import io.remora.feature.FeatureList;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code remora check} says of names and dtabs. */
final class NameChecksTest {
    private static List<String> problems(String dest, String dtab, String route) throws ConfigException {
        return problemsOf("""
            finagle:
              dtab: "DTAB"
            listeners:
              - name: in
                address: "127.0.0.1:1"
                routes: [ROUTE{cluster: app}]
            clusters:
              app: {dest: DEST}
              other: {dest: /s/other}
              plain: {endpoints: ["127.0.0.1:2"]}
            """.replace("DTAB", dtab).replace("DEST", dest).replace("ROUTE", route));
    }

    private static List<String> problemsOf(String yaml) throws ConfigException {
        List<String> lines = new ArrayList<>();
        for (Problem problem : NameChecks.problems(
                "test.yaml",
                ConfigReader.read(
                        "test.yaml",
                        new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)),
                        Map.of(),
                        new FeatureList()))) {
            lines.add(problem.toString());
        }
        return lines;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "zk!127.0.0.1:2181!/app!0          | zk!127.0.0.1:2181!/app!0!admin | ",
                "zk!a:2181,b:2181!/services/app!12 | zk!127.0.0.1:2181!/app!0       | ",
                "zk!127.0.0.1:2181!/app!0          | zk!127.0.0.1:2181!/app!1       | ",
                "zk!127.0.0.1:2181!/app!0 | zk!127.0.0.1:2181!/app!0       | "
                        + "6:24: announce.names lists 'zk!127.0.0.1:2181!/app!0' twice",
                "zk!127.0.0.1:2181!/app!0 | zk!127.0.0.1:2181!/app!1!admin | 6:24: announce.names has"
                        + " 'zk!127.0.0.1:2181!/app!1!admin', which is an additional endpoint of no member, expected"
                        + " zk!127.0.0.1:2181!/app!1 as well, or in another listener",
                "zk!127.0.0.1:2181!/app   | zk!127.0.0.1:2181!/app!0 | 3:24: announce.names cannot be read: "
                        + "'zk!127.0.0.1:2181!/app', expected zk!HOST:PORT!/PATH!SHARD",
                "zk!127.0.0.1!/app!0      | zk!127.0.0.1:2181!/app!0 | 3:24: announce.names cannot be read: ",
                "zk!127.0.0.1:2181!app!0  | zk!127.0.0.1:2181!/app!0 | 3:24: announce.names cannot be read: ",
                "zk!127.0.0.1:2181!/app!a | zk!127.0.0.1:2181!/app!0 | 3:24: announce.names cannot be read: ",
                "zk!127.0.0.1:2181!/app!0!a' | zk!127.0.0.1:2181!/app!0 | 3:24: announce.names cannot be read: ",
                "zk!127.0.0.1:2181!/app:a!0 | zk!127.0.0.1:2181!/app!0 | 3:24: announce.names cannot be read: ",
                "zk2!127.0.0.1:2181!/app!0 | zk!127.0.0.1:2181!/app!0 | 3:24: announce.names cannot be read: ",
                "zk!127.0.0.1:2181!/a/../b!0 | zk!127.0.0.1:2181!/app!0 | 3:24: announce.names cannot be read: ",
                "zk!h/x:2181!/app!0       | zk!127.0.0.1:2181!/app!0 | 3:24: announce.names cannot be read: ",
                "zk!b:1,a:1!/app!0        | zk!a:1,b:1!/app!0!admin  | ",
                "/#/plain                 | zk!127.0.0.1:2181!/app!0 | 3:24: announce.names cannot be read: ",
            })
    void judgesWhatListenersAreAnnouncedAs(String one, String two, @Nullable String problem) throws ConfigException {
        List<String> found = problemsOf("""
            listeners:
              - address: 127.0.0.1:1
                announce: {names: ["ONE"]}
                cluster: plain
              - address: 127.0.0.1:2
                announce: {names: ["TWO"]}
                cluster: plain
            clusters:
              plain: {endpoints: ["127.0.0.1:3"]}
            """.replace("ONE", one).replace("TWO", two));
        if (problem == null) {
            assertThat(found).isEmpty();
        } else {
            assertThat(found).singleElement().asString().startsWith("test.yaml:" + problem);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/s => /#; /s/app => /#/plain",
                "/s => /nowhere; /s/app => /#/plain",
                "/s/app => /#/nobody | /#/plain",
                "/s/app => 9 * /#/plain & 1 * /nowhere",
                "/s/app => /$/inet/example.org/80",
                "/s/app => /$/inet/::1/80",
                "/s/app => /$/nil",
                "/s => /$/com.twitter.serverset/127.0.0.1:2181/services",
                "/s/app => /$/com.twitter.serverset/127.0.0.1:2181/app:http",
                "/s/app => !",
                "/s => /#/plain",
                "/s => /$/inet/127.0.0.1/80",
            })
    void takesWhatLeadsSomewhere(String dtab) throws ConfigException {
        assertThat(problems("/s/app", dtab, "")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/s/web => /#/plain | test.yaml:8:15: dest /s/app leads nowhere: /s/app has no delegation",
                "/s => /# | test.yaml:8:15: dest /s/app leads nowhere: /#/app has no endpoints of its own",
                "/s/app => /#/nobody | test.yaml:8:15: dest /s/app leads nowhere: /#/nobody is no cluster",
                "/s/app => /$/inet/example.org | /$/inet/example.org has no delegation",
                "/s/app => /$/inet/example.org/0 | /$/inet/example.org/0 has no delegation",
                "/s/app => /$/inet/example.org/65536 | /$/inet/example.org/65536 has no delegation",
                "/s/app => /$/com.twitter.finagle.Anything/a | has no delegation",
                "/s/app => /$/com.twitter.serverset/zk/app | /$/com.twitter.serverset/zk/app has no delegation",
                "/s/app => /$/com.twitter.serverset/zk:2181 | has no delegation",
                "/s => /s | test.yaml:8:15: dest /s/app leads nowhere, its delegations go round",
                "/s => 1 * /s/a & 1 * /s/b | its delegations go round, or on for more than 99 steps in a row",
                "/s => | test.yaml:2:9: finagle.dtab cannot be read: ",
                "no dtab | test.yaml:2:9: finagle.dtab cannot be read: ",
            })
    void saysWhatLeadsNowhere(String dtab, String said) throws ConfigException {
        assertThat(problems("/s/app", dtab, "")).singleElement().asString().contains(said);
    }

    @Test
    void judgesEachRoutesDtabWithTheOthers() throws ConfigException {
        String base = "/s/app => /#/plain";
        String route = "{match: {path: /a}, cluster: app, dtab: \"%s\"}, ";
        assertThat(problems("/s/app", base, route.formatted("/s/app => /#/nobody")))
                .isEmpty();
        assertThat(problems("/s/app", base, route.formatted("/s/app => /s/app")))
                .singleElement()
                .asString()
                .startsWith("test.yaml:6:54: dest /s/app with the dtab of route in/1 leads nowhere, its delegations");
        assertThat(problems("/s/app", base, route.formatted("/s =>")))
                .singleElement()
                .asString()
                .startsWith("test.yaml:6:54: dtab of route in/1 cannot be read: ");
    }

    /** Each that requests or their copies go to, wherever it stands in the route. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{clusters: [{cluster: plain}, {cluster: app}]}",
                "{cluster: plain, mirror: {cluster: app}}",
                "{match: {path: /a}, cluster: app, dtab: '/s/app => /#/plain', mirror: {cluster: app}}",
            })
    void judgesEachClusterOfARoute(String route) throws ConfigException {
        String yaml = """
            listeners:
              - {name: in, address: "127.0.0.1:1", routes: [ROUTE]}
            clusters:
              app: {dest: /s/app}
              plain: {endpoints: ["127.0.0.1:2"]}
            """;
        assertThat(problemsOf(yaml.replace("ROUTE", route)))
                .singleElement()
                .asString()
                .contains("dest /s/app leads nowhere: /s/app has no delegation");
    }

    @Test
    void readsADtabOfSeveralLines() throws ConfigException {
        String lines = "/s => /nowhere ;\\n\\\n    /s/app => 9 * /#/plain & 1 * /nowhere ;\\n";
        assertThat(problems("/s/app", lines, "")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'zk!a:2181!/services/app'",
                "'zk2!a:2181,b:2181!/services/app!http'",
                "/$/com.twitter.serverset/a:2181/services/app",
            })
    void takesTheNameOfAServerset(String dest) throws ConfigException {
        assertThat(problems(dest, "", "")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'zk!a:2181' | dest cannot be read: 'zk!a:2181', expected zk!HOST:PORT!/PATH",
                "'zk!a:2181!app' | dest cannot be read: ",
                "'zk!a:2181!/app!http!0' | dest cannot be read: ",
                "'zk!a!/app' | has no delegation",
                "'zk!a:0!/app' | has no delegation",
                "'zk!a:2181,!/app' | has no delegation",
                "'zk!a:2181!/' | dest cannot be read: 'zk!a:2181!/', expected zk!HOST:PORT!/PATH",
                "'zk!a:2181!/services//app' | dest cannot be read: ",
                "'zk!!/app' | dest cannot be read: ",
                "'zk!a:2181!/app#1' | has no delegation",
            })
    void saysWhatIsNoServerset(String dest, String said) throws ConfigException {
        assertThat(problems('"' + dest + '"', "", ""))
                .singleElement()
                .asString()
                .contains(said);
    }

    @Test
    void saysWhatIsNoName() throws ConfigException {
        assertThat(problems("s/app", "/s/app => /#/plain", ""))
                .singleElement()
                .asString()
                .startsWith("test.yaml:8:15: dest cannot be read: ");
    }
}
