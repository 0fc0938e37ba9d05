import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which of an application's classes a JVM can come by: those that it is told to begin with, and those that are named in a constant of a class
 * that it can come by, as a type, in a descriptor, or in any text, such as one for {@code Class.forName}. Only a name that is put together at run
 * time would be missed.
 *
 * <p>Spec: JVMS 4.4.
 */
final class Reachable {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_$][A-Za-z0-9_$/.-]*");

    private final Map<String, List<byte[]>> classes = new HashMap<>();

    /**
     * @param name as in a class file, with slashes; the same one again where a jar has it for several versions of Java
     */
    void add(String name, byte[] classFile) {
        classes.computeIfAbsent(name, unused -> new ArrayList<>()).add(classFile);
    }

    Set<String> from(Set<String> first) {
        Set<String> reached = new HashSet<>(first);
        ArrayDeque<String> left = new ArrayDeque<>(first);
        for (String next = left.poll(); next != null; next = left.poll()) {
            for (byte[] classFile : classes.get(next)) {
                for (String text : texts(classFile)) {
                    named(text, name -> {
                        if (classes.containsKey(name) && reached.add(name)) {
                            left.add(name);
                        }
                    });
                }
            }
        }
        return reached;
    }

    private static void named(String text, Consumer<String> found) {
        for (Matcher names = NAME.matcher(text); names.find(); ) {
            String name = names.group().replace('.', '/');
            found.accept(name);
            // in a descriptor an L stands before it, and primitive types before that
            for (int at = name.indexOf('L'); at >= 0; at = name.indexOf('L', at + 1)) {
                found.accept(name.substring(at + 1));
            }
        }
    }

    private static List<String> texts(byte[] classFile) {
        List<String> texts = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(classFile))) {
            in.skipBytes(8); // magic and version
            int constants = in.readUnsignedShort();
            for (int i = 1; i < constants; i++) {
                int tag = in.readUnsignedByte();
                if (tag == 1) {
                    texts.add(in.readUTF());
                } else {
                    in.skipBytes(LeanClass.octetsOf(tag));
                    i += LeanClass.placesOf(tag) - 1;
                }
            }
            return texts;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
