import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.Set;

/**
 * A class file without the names of local variables, which only debuggers read. HotSpot keeps them beside the bytecode, so that they take
 * memory wherever a method is used. Line numbers stay, and with them stack traces.
 *
 * <p>Spec: JVMS 4.
 */
final class LeanClass {
    private static final Set<String> DROPPED = Set.of("LocalVariableTable", "LocalVariableTypeTable");

    private final DataInputStream in;
    private final DataOutputStream out;
    private final String[] texts;

    /** A copy of a whole class file, or of an attribute that has attributes, whose class has {@code texts}. */
    private LeanClass(DataInputStream in, DataOutputStream out, String[] texts) {
        this.in = in;
        this.out = out;
        this.texts = texts;
    }

    static byte[] of(byte[] classFile) throws IOException {
        ByteArrayOutputStream lean = new ByteArrayOutputStream(classFile.length);
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(classFile));
        DataOutputStream out = new DataOutputStream(lean);
        out.write(in.readNBytes(8)); // magic and version
        int constants = in.readUnsignedShort();
        out.writeShort(constants);
        LeanClass copy = new LeanClass(in, out, new String[constants]);
        copy.constants();
        copy.copy(6); // access, this and super
        copy.copy(2 * copy.copyShort()); // interfaces
        copy.members();
        copy.members();
        copy.attributes();
        if (copy.in.read() >= 0) {
            throw new IOException("there is more behind the end of a class file");
        }
        return lean.toByteArray();
    }

    private void constants() throws IOException {
        for (int i = 1; i < texts.length; i++) {
            int tag = in.readUnsignedByte();
            out.writeByte(tag);
            switch (tag) {
                case 1:
                    texts[i] = in.readUTF();
                    out.writeUTF(texts[i]);
                    break;
                case 5:
                case 6:
                    copy(8);
                    i++; // a long and a double take two places
                    break;
                case 7:
                case 8:
                case 16:
                case 19:
                case 20:
                    copy(2);
                    break;
                case 15:
                    copy(3);
                    break;
                case 3:
                case 4:
                case 9:
                case 10:
                case 11:
                case 12:
                case 17:
                case 18:
                    copy(4);
                    break;
                default:
                    throw new IOException("constant of unknown kind " + tag);
            }
        }
    }

    /** Fields, or methods. */
    private void members() throws IOException {
        int count = copyShort();
        for (int i = 0; i < count; i++) {
            copy(6);
            attributes();
        }
    }

    private void attributes() throws IOException {
        int count = in.readUnsignedShort();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream kept = new DataOutputStream(bytes);
        int keptCount = 0;
        for (int i = 0; i < count; i++) {
            int name = in.readUnsignedShort();
            byte[] content = in.readNBytes(in.readInt());
            if (!DROPPED.contains(texts[name])) {
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
        LeanClass copy = new LeanClass(new DataInputStream(new ByteArrayInputStream(content)), new DataOutputStream(lean), texts);
        copy.copy(4); // the most of stack and locals
        copy.copy(copy.copyInt()); // bytecode
        copy.copy(8 * copy.copyShort()); // exceptions
        copy.attributes();
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
