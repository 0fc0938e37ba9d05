package io.remora.config.yaml;

import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.GrpcConfig;
import java.util.ArrayList;
import java.util.List;

/** Reads {@code grpc} of a listener. Loaded only where it is configured. */
final class GrpcReader {
    private static final int MOST_METHODS = 100;
    private static final int MOST_CHARS = 200;

    private GrpcReader() {}

    static GrpcConfig read(Section section, Problems problems) {
        List<String> methods = new ArrayList<>();
        for (Node node : section.requiredList(ListenerKeys.GRPC_METHODS, "a list of one method or more")) {
            if (!isMethod(node)) {
                problems.at(node, "method is " + node.quoted() + ", expected /PACKAGE.SERVICE/METHOD");
            } else if (methods.contains(node.text)) {
                problems.at(node, "method " + node.quoted() + " a second time, expected each once");
            } else if (methods.size() == MOST_METHODS) {
                problems.at(node, "a method too many, expected at most " + MOST_METHODS);
                break;
            } else {
                methods.add(node.text);
            }
        }
        section.end();
        return new GrpcConfig(List.copyOf(methods));
    }

    private static boolean isMethod(Node node) {
        if (node.kind != Node.Kind.TEXT || node.text.length() > MOST_CHARS || !node.text.startsWith("/")) {
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
