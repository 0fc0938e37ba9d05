package io.remora.feature.tracing;

import io.remora.config.model.ClusterConfig;
import io.remora.config.rules.Flaw;
import io.remora.config.rules.NamedClusters;
import io.remora.config.yaml.Names;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import io.remora.feature.tracing.TracingConfig.Propagation;
import io.remora.text.Ascii;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads {@code tracing}. Loaded only where it is configured. */
final class TracingReader {
    private static final String CLUSTER = "tracing.export.cluster";
    private static final int DIGITS = 6;
    private static final int MAX_PATH_CHARS = 1_024;

    private final Problems problems;

    TracingReader(Problems problems) {
        this.problems = problems;
    }

    @Nullable
    TracingConfig read(Section section) {
        List<Propagation> propagation = propagation(section);
        int sample = sample(section);
        boolean failures = section.get(TracingKeys.FAILURES);
        TrustedParent parent = section.get(TracingKeys.PARENT);
        Node named = section.text(TracingKeys.SERVICE);
        String service = named == null ? null : Names.name(named, TracingKeys.SERVICE.name, problems);
        if (!section.has(TracingKeys.EXPORT)) {
            section.missing(TracingKeys.EXPORT, "a mapping with the collector cluster");
        }
        Section exported = section.section(TracingKeys.EXPORT);
        TraceExportConfig export = section.has(TracingKeys.EXPORT) ? export(exported) : null;
        section.end();
        return export == null
                ? null
                : new TracingConfig(
                        propagation,
                        sample,
                        failures,
                        parent,
                        service == null ? TracingKeys.SERVICE.fallbackText() : service,
                        export);
    }

    private List<Propagation> propagation(Section section) {
        if (!section.has(TracingKeys.PROPAGATION)) {
            return List.of(Propagation.W3C);
        }
        List<Propagation> forms = new ArrayList<>();
        String expected = "a list of one or more of w3c, b3, b3-multi";
        for (Node node : section.requiredList(TracingKeys.PROPAGATION, expected)) {
            Propagation form = form(node);
            if (form == null) {
                problems.at(node, "propagation has " + node.quoted() + ", expected one of w3c, b3, b3-multi");
            } else if (forms.contains(form)) {
                problems.at(node, "propagation has " + node.quoted() + " twice");
            } else {
                forms.add(form);
            }
        }
        return List.copyOf(forms);
    }

    private static @Nullable Propagation form(Node node) {
        for (Propagation form : Propagation.values()) {
            if (node.isText(form.text)) {
                return form;
            }
        }
        return null;
    }

    private int sample(Section section) {
        Node node = section.text(TracingKeys.SAMPLE);
        int millionths = millionths(node == null ? TracingKeys.SAMPLE.fallbackText() : node.text);
        if (node != null && millionths < 0) {
            problems.at(node, "sample is " + node.quoted() + ", expected 0 to 1, such as 0.01");
        }
        return millionths;
    }

    /** Returns a share such as {@code 0.01} in millionths; -1 where the text is none. */
    private static int millionths(String text) {
        int point = text.indexOf('.');
        int digits = point < 0 ? 0 : text.length() - point - 1;
        if (text.isEmpty() || point == 0 || point > 0 && digits == 0 || digits > DIGITS || text.length() > DIGITS + 2) {
            return -1;
        }
        long number = 0;
        for (int i = 0; i < text.length(); i++) {
            int digit = text.charAt(i) - '0';
            if (i != point && (digit < 0 || digit > 9)) {
                return -1;
            }
            number = i == point ? number : number * 10 + digit;
        }
        for (int i = digits; i < DIGITS; i++) {
            number *= 10;
        }
        return number > TracingConfig.EVERY ? -1 : (int) number;
    }

    private @Nullable TraceExportConfig export(Section section) {
        TraceExportConfig.Format format = section.get(TracingKeys.FORMAT);
        String cluster = section.clusterName(TracingKeys.CLUSTER, "the name of the collector cluster");
        Node path = section.text(TracingKeys.PATH);
        if (path != null && (path.text.length() > MAX_PATH_CHARS || !Names.isTarget(path.text))) {
            problems.at(path, "path is " + path.quoted() + ", expected one such as /v1/traces");
        }
        Node host = section.text(TracingKeys.HOST);
        if (host != null && !isHost(host.text)) {
            problems.at(host, "host is " + host.quoted() + ", expected a host, optionally with a port");
        }
        int queue = section.get(TracingKeys.QUEUE);
        long intervalNs = section.get(TracingKeys.INTERVAL);
        long timeoutNs = section.get(TracingKeys.TIMEOUT);
        section.end();
        if (cluster.isEmpty()) {
            return null;
        }
        return new TraceExportConfig(
                format,
                cluster,
                path == null ? format.path : path.text,
                host == null ? cluster.replace('/', '.') : host.text,
                queue,
                intervalNs,
                timeoutNs);
    }

    /** Demands that the collector is one. */
    static void judge(TraceExportConfig export, NamedClusters clusters, List<Flaw> flaws) {
        String name = export.cluster();
        ClusterConfig cluster = clusters.get(name);
        if (clusters.lack(name)) {
            flaws.add(new Flaw(CLUSTER, "no cluster " + Ascii.quote(name) + clusters.hint(name)));
        } else if (cluster != null && (cluster.tcp() || cluster.has(ClusterConfig.TEMPLATE) || cluster.captures())) {
            String expected = " cannot be the collector, expected an HTTP cluster with endpoints";
            flaws.add(new Flaw(CLUSTER, "cluster " + Ascii.quote(name) + expected));
        }
    }

    private static boolean isHost(String text) {
        boolean good = !text.isEmpty() && text.length() <= MAX_PATH_CHARS;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            good &= c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || "-._:[]".indexOf(c) >= 0;
        }
        return good;
    }
}
