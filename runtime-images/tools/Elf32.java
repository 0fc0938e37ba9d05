import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A 32-bit x86 library as bytes that can be changed, and where things are in it. Spec: System V ABI, chapters 4 and 5. */
final class Elf32 {
    static final int DT_PLTRELSZ = 2;
    static final int DT_PLTGOT = 3;
    static final int DT_SYMTAB = 6;
    static final int DT_INIT = 12;
    static final int DT_REL = 17;
    static final int DT_RELSZ = 18;
    static final int DT_TEXTREL = 22;
    static final int DT_JMPREL = 23;
    static final int DT_FLAGS = 30;
    static final int DT_RELCOUNT = 0x6ffffffa;
    private static final int DT_NULL = 0;
    private static final int PT_LOAD = 1;
    private static final int PT_DYNAMIC = 2;

    record Segment(int header, int offset, int address, int fileBytes, int memoryBytes, int flags) {
        boolean holds(int place) {
            return Integer.compareUnsigned(place, address) >= 0 && Integer.compareUnsigned(place, address + memoryBytes) < 0;
        }

        boolean isWritable() {
            return (flags & 2) != 0;
        }

        boolean isCode() {
            return (flags & 1) != 0;
        }
    }

    record Relocation(int place, int info) {
        int type() {
            return info & 255;
        }

        int symbol() {
            return info >>> 8;
        }
    }

    final ByteBuffer bytes;
    /** Where each entry of the dynamic section stands, by its tag. */
    final Map<Integer, Integer> entries = new HashMap<>();
    private final List<Segment> segments = new ArrayList<>();

    Elf32(byte[] file) {
        bytes = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        if (get(0) != 0x464c457f || bytes.get(4) != 1 || bytes.getShort(18) != 3) {
            throw new IllegalArgumentException("no 32-bit x86 library");
        }
        for (int at : programHeaders()) {
            if (get(at) == PT_LOAD) {
                segments.add(new Segment(at, get(at + 4), get(at + 8), get(at + 16), get(at + 20), get(at + 24)));
            } else if (get(at) == PT_DYNAMIC) {
                for (int entry = get(at + 4); get(entry) != DT_NULL; entry += 8) {
                    entries.put(get(entry), entry);
                }
            }
        }
    }

    List<Integer> programHeaders() {
        return table(get(28), bytes.getShort(44), 32);
    }

    List<Integer> sectionHeaders() {
        return table(get(32), bytes.getShort(48), 40);
    }

    private static List<Integer> table(int start, int count, int entryBytes) {
        List<Integer> found = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            found.add(start + i * entryBytes);
        }
        return found;
    }

    int get(int offset) {
        return bytes.getInt(offset);
    }

    void put(int offset, int word) {
        bytes.putInt(offset, word);
    }

    void add(int offset, int amount) {
        put(offset, get(offset) + amount);
    }

    /** What the dynamic section says under a tag. */
    int value(int tag) {
        return get(entries.get(tag) + 4);
    }

    void setValue(int tag, int value) {
        put(entries.get(tag) + 4, value);
    }

    Segment code() {
        return segments.stream().filter(Segment::isCode).findFirst().orElseThrow();
    }

    Segment data() {
        return segments.stream().filter(Segment::isWritable).findFirst().orElseThrow();
    }

    Segment segmentOf(int address) {
        return segments.stream().filter(s -> s.holds(address)).findFirst().orElseThrow();
    }

    /** Where the file has what is loaded at an address. */
    int offset(int address) {
        Segment segment = segmentOf(address);
        return address - segment.address + segment.offset;
    }

    /** Where the file goes on behind a segment: what lies between is free. */
    int endOfRoom(Segment segment) {
        return segments.stream().mapToInt(Segment::offset).filter(o -> o > segment.offset).min().orElse(segment.offset);
    }

    List<Relocation> relocations(int tableTag, int bytesTag) {
        List<Relocation> found = new ArrayList<>();
        int start = offset(value(tableTag));
        for (int at = start; at < start + value(bytesTag); at += 8) {
            found.add(new Relocation(get(at), get(at + 4)));
        }
        return found;
    }
}
