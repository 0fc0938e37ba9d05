package io.remora.config.yaml;

import org.jspecify.annotations.Nullable;

/** Finds the place of a path such as {@code listeners[2].tls.crl} or {@code clusters[app].dest} in a file. Loaded only where a part of the model is wrong. */
final class NodePath {
    /** The cluster of a listener's only route, which may stand in the listener itself. */
    private static final String SHORT = ".routes[0].cluster";

    private NodePath() {}

    /** Returns the value at a path, or the innermost one around it that the file has. */
    static Node find(Node root, String path) {
        Node found = root;
        for (int from = 0; from < path.length(); ) {
            char first = path.charAt(from);
            int to = first == '[' ? path.indexOf(']', from) + 1 : end(path, from + 1);
            if (path.startsWith(SHORT, from) && value(found, "routes") == null) {
                from += SHORT.length() - ".cluster".length();
                continue;
            }
            Node next = first == '['
                    ? item(found, path.substring(from + 1, to - 1))
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

    /** Returns an item of a list by its index, or a value by its name where users choose the names. */
    private static @Nullable Node item(Node parent, String item) {
        if (parent.kind != Node.Kind.LIST) {
            return value(parent, item);
        }
        int index = Integer.parseInt(item);
        return index < parent.children.size() ? parent.children.get(index) : null;
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
