package io.remora.compilelog;

/** Names of methods as the report shows them: {@code java.lang.String::hashCode()I}. */
final class MethodNames {
    private MethodNames() {}

    /** Returns the name of a method that the log has with blanks: {@code java.lang.String hashCode ()I}. */
    static String shown(String logged) {
        int name = logged.indexOf(' ');
        int signature = logged.indexOf(' ', name + 1);
        if (name < 0 || signature < 0) {
            return logged;
        }
        return of(logged.substring(0, name), logged.substring(name + 1, signature)) + logged.substring(signature + 1);
    }

    static String of(String holder, String name) {
        // the log of JDK 8 has slashes
        return holder.replace('/', '.') + "::" + name;
    }
}
