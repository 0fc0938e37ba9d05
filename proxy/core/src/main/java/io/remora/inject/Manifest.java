package io.remora.inject;

import io.remora.json.JsonTree;
import io.remora.json.JsonWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * A text with Kubernetes objects, in YAML or JSON, whose objects are changed one by one.
 *
 * <p>A document that does not change stays as it was written, with its comments. One that changes is written again, in the
 * format of the text. Spec: YAML 1.2 and RFC 8259.
 */
final class Manifest {
    private static final String SEPARATOR = "---";

    private Manifest() {}

    /** Returns the text with all its objects changed. */
    static String apply(String file, String text, Workloads workloads) throws InjectException {
        String stripped = text.strip();
        return stripped.startsWith("{") || stripped.startsWith("[")
                ? json(file, text, workloads)
                : yaml(file, text, workloads);
    }

    private static String json(String file, String text, Workloads workloads) throws InjectException {
        Object tree;
        try {
            tree = JsonTree.read(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new InjectException(file + ": not " + e.getMessage());
        }
        Object next = workloads.apply(tree);
        return next == tree ? text : JsonWriter.indented(next);
    }

    private static String yaml(String file, String text, Workloads workloads) throws InjectException {
        List<YamlDocuments.Document> documents = YamlDocuments.read(file, text);
        StringBuilder out = new StringBuilder();
        for (YamlDocuments.Document document : documents) {
            Object next = workloads.apply(document.tree());
            if (next == document.tree()) {
                out.append(document.source());
                continue;
            }
            if (out.length() > 0 || document.source().startsWith(SEPARATOR)) {
                endLine(out);
                out.append(SEPARATOR).append('\n');
            }
            out.append(YamlWriter.write(next));
        }
        return documents.isEmpty() ? text : out.toString();
    }

    private static void endLine(StringBuilder out) {
        if (out.length() > 0 && out.charAt(out.length() - 1) != '\n') {
            out.append('\n');
        }
    }
}
