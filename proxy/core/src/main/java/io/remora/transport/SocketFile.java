package io.remora.transport;

import io.remora.config.model.SocketConfig;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.nio.file.attribute.UserPrincipalNotFoundException;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * File of a listener that is a Unix socket: takes its place once it has its owner and mode, and goes with the listener.
 * Until then it is in a directory that is this user's alone, so that nobody can connect before, with any umask of the
 * process. A file that nobody listens on was left by a killed process.
 *
 * <p>Owner: the thread that starts and ends the listener. Loaded only where one is configured.
 */
public final class SocketFile {
    private static final int TYPE = 0170000;
    private static final int SOCKET = 0140000;
    private static final Set<PosixFilePermission> OWNER_ONLY = EnumSet.of(
            PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE, PosixFilePermission.OWNER_EXECUTE);

    private final Path path;
    /** Directory in which the socket is made, and the socket in there. */
    private final Path room;

    private final Path temporary;
    /** Identity of the file, once it is in its place. */
    private @Nullable Object key;

    private SocketFile(Path path) {
        this.path = path;
        this.room = Path.of(path + ".new");
        this.temporary = room.resolve("s");
    }

    /**
     * Makes sure that the place is free.
     *
     * @throws IOException naming the problem, such as another process that listens there
     */
    public static SocketFile at(String where) throws IOException {
        SocketFile file = new SocketFile(Path.of(where));
        judge(file.path);
        file.tidy();
        // with its mode from the first moment, which a umask can only narrow
        Files.createDirectory(file.room, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        return file;
    }

    /** The file of a socket that another process has published: it is this one's listener's from now on, as that is configured. */
    static SocketFile adopt(String where, SocketConfig config) throws IOException {
        SocketFile file = new SocketFile(Path.of(where));
        if (isSocket(file.path)) {
            file.key = keyOf(file.path);
            settle(file.path, config);
        }
        return file;
    }

    /** Returns the path where the socket of a listener was bound, by which the kernel goes on calling it. */
    static String temporaryOf(String where) {
        return new SocketFile(Path.of(where)).temporary();
    }

    /** Removes what a process left that was killed in the middle of its start. */
    private void tidy() throws IOException {
        if (Files.isDirectory(room, LinkOption.NOFOLLOW_LINKS)) {
            if (judge(temporary)) {
                Files.delete(temporary);
            }
            Files.delete(room);
        } else if (judge(room)) {
            Files.delete(room);
        }
    }

    /** Removes the directory again, as no socket is bound. */
    public void abandon() {
        try {
            Files.deleteIfExists(room);
        } catch (IOException e) {
            // the next start removes it
        }
    }

    /** Tells if there is a socket's file that nobody listens on; any other file there is a problem. */
    private static boolean judge(Path path) throws IOException {
        boolean there = isSocket(path);
        if (there && isAlive(path)) {
            throw new IOException("another process listens on " + path);
        }
        return there;
    }

    /** Tells if there is a socket; anything else there, such as a link to one, is a problem. */
    private static boolean isSocket(Path path) throws IOException {
        try {
            int type = (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            if ((type & TYPE) != SOCKET) {
                throw new IOException(path + " is a file, but not a socket");
            }
        } catch (NoSuchFileException e) {
            return false;
        }
        return true;
    }

    private static boolean isAlive(Path path) throws IOException {
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            // a process that is too busy to take it listens as well
            probe.configureBlocking(false);
            probe.connect(UnixDomainSocketAddress.of(path));
            return true;
        } catch (ConnectException e) {
            return false;
        }
    }

    /** Returns the path where the socket is bound, before it is in its place. */
    public String temporary() {
        return temporary.toString();
    }

    /** Puts it in its place, in that of a file that nobody listens on. */
    public void publish(SocketConfig config) throws IOException {
        Object made = isSocket(temporary) ? keyOf(temporary) : null;
        try {
            settle(temporary, config);
            // who started at the same time may listen there by now
            judge(path);
            Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
            key = made;
        } catch (IOException e) {
            remove(temporary, made);
            throw e;
        } finally {
            abandon();
        }
    }

    private static void settle(Path socket, SocketConfig config) throws IOException {
        own(Files.getFileAttributeView(socket, PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS), config);
        // the system changes no mode but through links, so that what is there was judged before
        Files.setPosixFilePermissions(socket, permissions(config.mode()));
    }

    private static void own(PosixFileAttributeView view, SocketConfig config) throws IOException {
        UserPrincipalLookupService names = FileSystems.getDefault().getUserPrincipalLookupService();
        try {
            if (!config.owner().isEmpty()) {
                view.setOwner(names.lookupPrincipalByName(config.owner()));
            }
            if (!config.group().isEmpty()) {
                view.setGroup(names.lookupPrincipalByGroupName(config.group()));
            }
        } catch (UserPrincipalNotFoundException e) {
            throw new IOException("no such user or group: " + e.getName(), e);
        }
    }

    private static Set<PosixFilePermission> permissions(int mode) {
        Set<PosixFilePermission> all = EnumSet.noneOf(PosixFilePermission.class);
        // in the order of their bits, from the owner's reading on
        PosixFilePermission[] values = PosixFilePermission.values();
        for (int i = 0; i < values.length; i++) {
            if ((mode >> values.length - 1 - i & 1) == 1) {
                all.add(values[i]);
            }
        }
        return all;
    }

    /** Removes the file, unless another one has taken its place. */
    public void remove() {
        remove(path, key);
    }

    private static void remove(Path path, @Nullable Object key) {
        try {
            if (key != null && key.equals(keyOf(path))) {
                Files.delete(path);
            }
        } catch (IOException e) {
            // it has gone, and so has what it was for
        }
    }

    /** Returns the identity of the file, of the link itself where it is one. */
    private static @Nullable Object keyOf(Path path) throws IOException {
        return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }
}
