package io.remora.config.yaml;

import org.jspecify.annotations.Nullable;

/** Finds the place of a path such as {@code listeners[2].tls.crl} in a file. Loaded only where a part of the model is wrong. */
final class NodePath {
    private NodePath() {}

    /** Returns the value at a path, or the innermost one around it that the file has. */
    static Node find(Node root, String path) {
        Node found = root;
        for (int from = 0; from < path.length(); ) {
            char first = path.charAt(from);
            int to = end(path, from + 1);
            Node next = first == '['
                    ? item(found, Integer.parseInt(path, from + 1, to - 1, 10))
                    : value(found, path.substring(first == '.' ? from + 1 : from, to));
            if (next == null) {
                return found;
            }
            found = next;
            from = to;
        }
        return found;
    }

    private static int end(String path, int from) {
        int end = from;
        while (end < path.length() && path.charAt(end) != '.' && path.charAt(end) != '[') {
            end++;
        }
        return end;
    }

    private static @Nullable Node item(Node list, int index) {
        return list.kind == Node.Kind.LIST && index < list.children.size() ? list.children.get(index) : null;
    }

    private static @Nullable Node value(Node mapping, String key) {
        for (int i = 0; mapping.kind == Node.Kind.MAPPING && i < mapping.children.size(); i += 2) {
            if (mapping.children.get(i).isText(key)) {
                return mapping.children.get(i + 1);
            }
        }
        return null;
    }
}
