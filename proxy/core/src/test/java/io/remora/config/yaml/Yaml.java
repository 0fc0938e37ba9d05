package io.remora.config.yaml;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.remora.config.model.ConfigException;
import io.remora.config.model.Problem;
import io.remora.config.model.ProxyConfig;
import io.remora.feature.FeatureList;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Configurations for tests, as text. */
public final class Yaml {
    /** The least that is a configuration; the rest of it are defaults. */
    public static final String MINIMAL = """
            listeners:
              - address: 0.0.0.0:8080
                cluster: app
            clusters:
              app:
                endpoints: ["127.0.0.1:8081"]
            """;

    /** Every key there is, none at its default. */
    public static final String FULL = """
            workers: 4
            drain-timeout: 2m
            log-level: debug
            via: edge-1
            plugins:
              directory: /opt/filters
              filters: [a.First, a.Second]
            finagle:
              dtab: "/s => /#; /s/app => /#/other"
            admin:
              address: "[::]:9901"
              allow-remote: true
            health:
              address: 10.0.0.1:0
            access-log:
              format: combined
              output: /var/log/remora/access.log
              queue: 5
            listeners:
              - name: inbound
                address: 127.0.0.1:8080
                headers:
                  x-forwarded-for: off
                  x-forwarded-proto: replace
                  x-forwarded-host: replace
                  forwarded: append
                  x-forwarded-client-cert: replace
                  x-forwarded-client-cert-pem: true
                  x-request-id: uuid
                underscores-in-headers: reject
                limits:
                  connections: 11
                  request-line: 12KiB
                  header-block: 1MiB
                  header-fields: 13
                  buffer: 15000B
                  in-flight: 16
                  body: 1GiB
                timeouts:
                  header-read: 250ms
                  body-idle: 100us
                  idle: 1h
                  max-connection-age: 2h
                trust:
                  cidrs: [10.0.0.0/8, "fd00::1"]
                  field: forwarded
                routes:
                  - name: api
                    match:
                      host: "*.Example.com"
                      prefix: /api
                      method: GET
                      headers: {X-Version: v2, x-tenant: "a b"}
                    cluster: app
                  - match:
                      path: /exact
                    cluster: other
                  - cluster: app
              - address: "[fe80::1%eth0]:0"
                cluster: other
            clusters:
              app:
                endpoints:
                  - 127.0.0.1:8081
                  - "[::1]:8082"
                  - app.default.svc.cluster.local.:80
                max-connections: 20
                max-idle-connections: 10
                limits:
                  header-block: 17KiB
                  buffer: 18000B
                timeouts:
                  connect: 5s
                  response-header: 6s
                  idle: 7s
                  max-connection-age: 8s
              other:
                endpoints: [localhost:1]
            """;

    private Yaml() {}

    public static ProxyConfig read(String yaml, Map<String, String> environment) throws ConfigException {
        return ConfigReader.read(
                "f.yaml", new ByteArrayInputStream(yaml.getBytes(UTF_8)), environment, new FeatureList());
    }

    public static ProxyConfig read(String yaml) throws ConfigException {
        return read(yaml, Map.of());
    }

    /** What is wrong, without the name of the file; nothing for a good one. */
    public static List<String> problems(String yaml) {
        return problems(yaml.getBytes(UTF_8));
    }

    public static List<String> problems(byte[] yaml) {
        List<String> problems = new ArrayList<>();
        try {
            ConfigReader.read(
                    "f.yaml", new ByteArrayInputStream(yaml), Map.of("EMPTY", "", "PORT", "70000"), new FeatureList());
        } catch (ConfigException e) {
            for (Problem problem : e.problems()) {
                problems.add(problem.line() + ":" + problem.column() + ": " + problem.message());
            }
        }
        return problems;
    }
}
