package io.remora.http;

/** The usual methods, so that their names need not be made for each request. */
public final class Methods {
    private static final String[] USUAL = {
        "GET", "POST", "PUT", "HEAD", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"
    };

    private Methods() {}

    public static String of(byte[] octets, int from, int to) {
        for (String usual : USUAL) {
            if (usual.length() == to - from && isEqual(usual, octets, from)) {
                return usual;
            }
        }
        return Octets.text(octets, from, to);
    }

    private static boolean isEqual(String usual, byte[] octets, int from) {
        for (int i = 0; i < usual.length(); i++) {
            if (usual.charAt(i) != octets[from + i]) {
                return false;
            }
        }
        return true;
    }
}
