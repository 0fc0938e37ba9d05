package io.remora.feature.grpc;

import io.remora.config.model.Options;
import io.remora.config.yaml.FeatureSection;
import io.remora.config.yaml.Node;
import io.remora.config.yaml.Problems;
import io.remora.config.yaml.Section;
import java.util.ArrayList;
import java.util.List;

/** Reads and judges {@code grpc} of a listener. */
final class GrpcReader {
    private static final int MOST_METHODS = 100;
    private static final int MOST_CHARS = 200;

    private GrpcReader() {}

    /** Reads it, and returns the options with it. */
    static Options read(FeatureSection listener, Options options) {
        Section section = listener.section.sectionOrOff(GrpcKeys.GRPC);
        if (section == null || section.node.isBroken()) {
            return options;
        }
        Problems problems = listener.problems;
        List<String> methods = new ArrayList<>();
        for (Node node : section.requiredList(GrpcKeys.METHODS, "a list of at least one method")) {
            if (!isMethod(node)) {
                problems.at(node, "method is " + node.quoted() + ", expected /PACKAGE.SERVICE/METHOD");
            } else if (methods.contains(node.text)) {
                problems.at(node, "method " + node.quoted() + " is listed twice");
            } else if (methods.size() == MOST_METHODS) {
                problems.at(node, "too many methods, expected at most " + MOST_METHODS);
                break;
            } else {
                methods.add(node.text);
            }
        }
        section.end();
        return options.with(GrpcConfig.GRPC, new GrpcConfig(List.copyOf(methods)));
    }

    private static boolean isMethod(Node node) {
        if (node.text.length() > MOST_CHARS || !node.text.startsWith("/")) {
            return false;
        }
        String text = node.text;
        int slash = text.indexOf('/', 1);
        boolean plain = slash > 1 && slash < text.length() - 1 && text.indexOf('/', slash + 1) < 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            plain &= c > ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
        }
        return plain;
    }
}
