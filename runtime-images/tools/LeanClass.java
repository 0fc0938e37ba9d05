import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A class file without the attributes that only compilers and debuggers read: names of local variables, and annotations of types
 * ({@code @Nullable}) or of another retention than {@code RUNTIME}. HotSpot keeps the first two in memory and in the archive of classes. Line numbers
 * stay on request; visible annotations stay, and so do the signatures of classes, which Netty reads.
 *
 * <p>Spec: JVMS 4.
 */
final class LeanClass {
    private static final Set<String> DROPPED = Set.of(
            "LocalVariableTable",
            "LocalVariableTypeTable",
            "RuntimeVisibleTypeAnnotations",
            "RuntimeInvisibleTypeAnnotations",
            "RuntimeInvisibleAnnotations",
            "RuntimeInvisibleParameterAnnotations",
            "Deprecated");
    private static final Set<String> DROPPED_WITH_SIGNATURES =
            Stream.concat(DROPPED.stream(), Stream.of("Signature")).collect(Collectors.toUnmodifiableSet());

    private final DataInputStream in;
    private final DataOutputStream out;
    private final String[] texts;
    private final Set<String> droppedOfMembers;
    private final boolean lines;

    /** A copy of a whole class file, or of an attribute that has attributes, whose class has {@code texts}. */
    private LeanClass(DataInputStream in, DataOutputStream out, String[] texts, Set<String> droppedOfMembers, boolean lines) {
        this.in = in;
        this.out = out;
        this.texts = texts;
        this.droppedOfMembers = droppedOfMembers;
        this.lines = lines;
    }

    /**
     * The class file without those attributes, without the generic signatures of its members unless {@code signatures}, and without line numbers
     * unless {@code lines}.
     */
    static byte[] of(byte[] classFile, boolean signatures, boolean lines) throws IOException {
        ByteArrayOutputStream lean = new ByteArrayOutputStream(classFile.length);
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(classFile));
        DataOutputStream out = new DataOutputStream(lean);
        out.write(in.readNBytes(8)); // magic and version
        int constants = in.readUnsignedShort();
        out.writeShort(constants);
        LeanClass copy = new LeanClass(in, out, new String[constants], signatures ? DROPPED : DROPPED_WITH_SIGNATURES, lines);
        copy.constants();
        copy.copy(6); // access, this and super
        copy.copy(2 * copy.copyShort()); // interfaces
        copy.members();
        copy.members();
        copy.attributes(DROPPED);
        if (copy.in.read() >= 0) {
            throw new IOException("there is more behind the end of a class file");
        }
        return lean.toByteArray();
    }

    private void constants() throws IOException {
        for (int i = 1; i < texts.length; i++) {
            int tag = in.readUnsignedByte();
            out.writeByte(tag);
            if (tag == 1) {
                texts[i] = in.readUTF();
                out.writeUTF(texts[i]);
            } else {
                copy(octetsOf(tag));
                i += placesOf(tag) - 1;
            }
        }
    }

    /** Of a constant that is no text, behind its tag. */
    static int octetsOf(int tag) throws IOException {
        return switch (tag) {
            case 7, 8, 16, 19, 20 -> 2;
            case 15 -> 3;
            case 3, 4, 9, 10, 11, 12, 17, 18 -> 4;
            case 5, 6 -> 8;
            default -> throw new IOException("constant of unknown kind " + tag);
        };
    }

    /** A long and a double take two. */
    static int placesOf(int tag) {
        return tag == 5 || tag == 6 ? 2 : 1;
    }

    /** Fields, or methods. */
    private void members() throws IOException {
        int count = copyShort();
        for (int i = 0; i < count; i++) {
            copy(6);
            attributes(droppedOfMembers);
        }
    }

    private void attributes(Set<String> dropped) throws IOException {
        int count = in.readUnsignedShort();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream kept = new DataOutputStream(bytes);
        int keptCount = 0;
        for (int i = 0; i < count; i++) {
            int name = in.readUnsignedShort();
            byte[] content = in.readNBytes(in.readInt());
            if (!dropped.contains(texts[name]) && (lines || !texts[name].equals("LineNumberTable"))) {
                byte[] lean = texts[name].equals("Code") ? code(content) : content;
                kept.writeShort(name);
                kept.writeInt(lean.length);
                kept.write(lean);
                keptCount++;
            }
        }
        out.writeShort(keptCount);
        bytes.writeTo(out);
    }

    private byte[] code(byte[] content) throws IOException {
        ByteArrayOutputStream lean = new ByteArrayOutputStream(content.length);
        LeanClass copy = new LeanClass(new DataInputStream(new ByteArrayInputStream(content)), new DataOutputStream(lean), texts, DROPPED, lines);
        copy.copy(4); // the most of stack and locals
        copy.copy(copy.copyInt()); // bytecode
        copy.copy(8 * copy.copyShort()); // exceptions
        copy.attributes(DROPPED);
        return lean.toByteArray();
    }

    private void copy(int bytes) throws IOException {
        out.write(in.readNBytes(bytes));
    }

    private int copyShort() throws IOException {
        int value = in.readUnsignedShort();
        out.writeShort(value);
        return value;
    }

    private int copyInt() throws IOException {
        int value = in.readInt();
        out.writeInt(value);
        return value;
    }
}
