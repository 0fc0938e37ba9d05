package io.remora.inject;

import static org.assertj.core.api.Assertions.assertThat;

import io.remora.json.JsonTree;
import io.remora.json.JsonWriter;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Manifests of each kind: injected, injected again, and undone. */
final class WorkloadsTest {
    private static final PodInjector INJECTOR = new PodInjector(InjectorSettings.defaults(), Injected.TABLE);

    private Workloads workloads = new Workloads((pod, namespace) -> INJECTOR.inject(pod, namespace, true), "default");

    @ParameterizedTest
    @ValueSource(strings = {"pod", "deployment", "statefulset", "daemonset", "replicaset", "job", "cronjob", "list"})
    void injectsTheSameAgainAndGivesTheOriginalBack(String kind) throws Exception {
        String manifest = manifest(kind + ".yaml");
        String injected = Manifest.apply(kind, manifest, workloads);
        assertThat(workloads.problems()).isEmpty();
        assertThat(injected).isEqualTo(manifest(kind + ".injected.yaml"));
        assertThat(Manifest.apply(kind, injected, workloads)).isEqualTo(injected);
        Object original = YamlDocuments.read(kind, manifest).get(0).tree();
        String undone = Manifest.apply(kind, injected, new Workloads((pod, any) -> INJECTOR.undo(pod), "default"));
        assertThat(YamlDocuments.read(kind, undone).get(0).tree()).isEqualTo(original);
    }

    @ParameterizedTest
    @ValueSource(strings = {"pod", "deployment", "statefulset", "daemonset", "replicaset", "job", "cronjob", "list"})
    void writesJsonWhereItReadsJson(String kind) throws Exception {
        Object tree = YamlDocuments.read(kind, manifest(kind + ".yaml")).get(0).tree();
        String json = JsonWriter.indented(tree);
        String injected = Manifest.apply(kind, json, workloads);
        assertThat(JsonTree.read(injected.getBytes(StandardCharsets.UTF_8)))
                .isEqualTo(YamlDocuments.read(kind, manifest(kind + ".injected.yaml"))
                        .get(0)
                        .tree());
        String undone = Manifest.apply(kind, injected, new Workloads((pod, any) -> INJECTOR.undo(pod), "default"));
        assertThat(undone).isEqualTo(json);
    }

    @Test
    void leavesOtherDocumentsAsTheyAreWritten() throws Exception {
        String map = "# kept\napiVersion: v1\nkind: ConfigMap   # this, too\ndata: {a: \"yes\", b: 'x'}\n";
        String custom = "---\napiVersion: example.test/v1\nkind: Deployment\nspec: {template: {spec: {}}}\n";
        String all = map + custom + "---\n" + manifest("pod.yaml") + "--- # last\n" + map;
        String injected = Manifest.apply("x", all, workloads);
        assertThat(injected)
                .startsWith(map + custom + "---\napiVersion: v1\nkind: Pod\n")
                .endsWith("--- # last\n" + map);
        assertThat(Manifest.apply("x", injected, workloads)).isEqualTo(injected);
        assertThat(Manifest.apply("x", map, workloads)).isEqualTo(map);
        assertThat(Manifest.apply("x", "", workloads)).isEmpty();
    }

    @Test
    void namesTheObjectThatIsRefused() throws Exception {
        Manifest.apply(
                "x",
                "apiVersion: apps/v1\n"
                        + "kind: Deployment\n"
                        + "metadata: {name: web, namespace: shop}\n"
                        + "spec: {template: {metadata: {annotations: {remora.io/rsp: '1'}}, spec: {containers: [{name: a,"
                        + " image: a}]}}}\n",
                workloads);
        assertThat(workloads.problems())
                .singleElement()
                .asString()
                .startsWith("Deployment/web: ")
                .contains("remora.io/rsp");
    }

    @Test
    void takesTheNamespaceOfTheObjectOrTheDefaultOne() throws Exception {
        StringBuilder seen = new StringBuilder();
        workloads = new Workloads(
                (pod, namespace) -> {
                    seen.append(namespace).append(' ');
                    return INJECTOR.undo(pod);
                },
                "fallback");
        String two = "apiVersion: v1\nkind: Pod\nmetadata: {namespace: a}\n---\napiVersion: v1\nkind: Pod\n";
        Manifest.apply("x", two, workloads);
        assertThat(seen.toString()).isEqualTo("a fallback ");
    }

    @Test
    void makesAPatchThatGivesTheInjectedPod() throws Exception {
        Map<String, Object> pod = Objects.requireNonNull(Injected.pod("remora.io/rps: '100'", "a/b~c: x"));
        Map<String, Object> injected = Injected.inject(pod).pod();
        assertThat(JsonPatch.between(pod, injected))
                .extracting(one -> one.get("op") + " " + one.get("path"))
                .containsExactly(
                        "add /metadata/annotations/remora.io~1status",
                        "add /spec/affinity",
                        "add /spec/volumes",
                        "add /spec/initContainers");
        assertThat(JsonPatch.between(injected, pod))
                .extracting(one -> one.get("op") + " " + one.get("path"))
                .contains("remove /spec/volumes", "remove /metadata/annotations/remora.io~1status");
        assertThat(JsonPatch.between(Injected.tree("a~b: 1"), Injected.tree("a~b: 2")))
                .containsExactly(Trees.of("op", "replace", "path", "/a~0b", "value", 2L));
    }

    private static String manifest(String name) throws IOException {
        try (InputStream in = WorkloadsTest.class.getResourceAsStream("/inject/" + name)) {
            return new String(Objects.requireNonNull(in, name).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
