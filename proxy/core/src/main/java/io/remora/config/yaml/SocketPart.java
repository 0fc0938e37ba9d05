package io.remora.config.yaml;

import io.remora.config.keys.Key;
import io.remora.config.keys.KeyWriter;
import io.remora.config.keys.ListenerKeys;
import io.remora.config.model.Address;
import io.remora.config.model.SocketConfig;
import io.remora.text.Ascii;
import org.jspecify.annotations.Nullable;

/** An address that is a file, with the permissions to connect there: its keys, read and shown. Loaded only where one is configured. */
public final class SocketPart {
    /**
     * File mode of the socket. Processes need write permission to connect. Defaults to {@code 0660}, for owner and
     * group.
     */
    public static final Key MODE = Key.optional(ListenerKeys.SOCKET, "mode", "octal number, from `0600` to `0777`");

    /**
     * Owner of the socket file. The sidecar must be permitted to set it. Defaults to the user and group of the sidecar.
     */
    public static final Key OWNER = Key.optional(ListenerKeys.SOCKET, "owner", "`USER`, `USER:GROUP` or `:GROUP`");

    /** The longest path that the kernel has room for, less the ending of the name under which the file is made. */
    private static final int MAX_PATH = 100;

    private static final int OCTAL = 8;
    static final String OWNER_AND_GROUP = "0660";
    static final String OWNER_ONLY = "0600";

    private SocketPart() {}

    /** The address at a node, or null when it has been reported. */
    static @Nullable Address address(Node node, String key, Problems problems) {
        return path(node, node.text.substring(Address.UNIX.length()), Address.UNIX + " and ", key, problems);
    }

    /** The path of a socket, null when a problem has been reported. */
    public static @Nullable Address path(Node node, String path, String before, String key, Problems problems) {
        boolean plain = path.startsWith("/") && !path.endsWith("/");
        for (int i = 0; i < path.length(); i++) {
            plain &= path.charAt(i) > ' ' && path.charAt(i) <= '~';
        }
        if (!plain) {
            problems.at(
                    node, key + " is " + node.quoted() + ", expected " + before + "an absolute path in visible ASCII");
            return null;
        }
        if (path.length() > MAX_PATH) {
            problems.at(node, key + " has a path of " + path.length() + " characters, expected at most " + MAX_PATH);
            return null;
        }
        return new Address(path, 0);
    }

    /** Reads the socket's permissions, null where the listener is on a port. */
    static @Nullable SocketConfig read(Section listener, Address address, Problems problems) {
        return read(listener, address, OWNER_AND_GROUP, problems);
    }

    /** Reads the permissions of a listener of the operator's, whose keys have the same names. */
    static @Nullable SocketConfig read(Section listener, Address address, String modeByDefault, Problems problems) {
        Section section = listener.section(ListenerKeys.SOCKET);
        if (!address.isUnix()) {
            problems.at(section.node, "socket requires an address such as unix:/run/app.sock");
        }
        Node mode = section.text(MODE);
        Node owner = section.text(OWNER);
        section.end();
        String who = owner == null ? "" : owner.text;
        int colon = who.indexOf(':');
        String user = colon < 0 ? who : who.substring(0, colon);
        String group = colon < 0 ? "" : who.substring(colon + 1);
        if (owner != null && (!isName(user) || !isName(group) || user.isEmpty() && group.isEmpty())) {
            problems.at(owner, "owner is " + owner.quoted() + ", expected USER, USER:GROUP or :GROUP");
        }
        int bits = mode(mode == null ? modeByDefault : mode.text);
        if (bits < 0 && mode != null) {
            problems.at(mode, "mode is " + mode.quoted() + ", expected an octal number from 0600 to 0777");
        }
        return address.isUnix() ? new SocketConfig(bits, user, group) : null;
    }

    /** Writes a socket under a key that need not be the one below which its keys are declared. */
    public static void show(KeyWriter out, Key key, SocketConfig socket) {
        out.begin(key, ListenerKeys.SOCKET);
        int mode = socket.mode();
        String octal = "0" + (char) ('0' + (mode >> 6)) + (char) ('0' + (mode >> 3 & 7)) + (char) ('0' + (mode & 7));
        out.text(MODE, octal);
        String owner = socket.group().isEmpty() ? socket.owner() : socket.owner() + ':' + socket.group();
        out.optional(OWNER, owner.isEmpty() ? null : owner);
        out.end();
    }

    private static boolean isName(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!Ascii.isAlphanumeric(text.charAt(i)) && "._-".indexOf(text.charAt(i)) < 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns the mode of the text, -1 for a text that is none. */
    private static int mode(String text) {
        int mode = 0;
        for (int i = 0; i < text.length(); i++) {
            int digit = text.charAt(i) - '0';
            if (digit < 0 || digit >= OCTAL || text.length() > 4) {
                return -1;
            }
            mode = mode * OCTAL + digit;
        }
        return mode >= 0600 && mode <= 0777 ? mode : -1;
    }
}
