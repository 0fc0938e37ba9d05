import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Frees the 32-bit libjvm.so of text relocations. HotSpot is compiled there without position-independent code, so that the loader would
 * write into nearly every page of it: an SELinux host refuses that, and each process pays for pages of its own.
 *
 * <p>The library is moved, once and for all, to an address that Linux leaves free at a start, and every absolute address in it is set here.
 * Calls of other libraries' functions go through stubs behind the code, which jump by way of slots behind the data: those are the
 * loader's to fill. A check at the library's start ends the process with one line if the address was taken after all.
 */
final class FixedAddress {
    private static final int DT_NULL = 0;
    private static final int DT_RELSZ = 18;
    private static final int DT_TEXTREL = 22;
    private static final int DT_FLAGS = 30;
    private static final int DT_RELCOUNT = 0x6ffffffa;
    /** A tag that no loader knows and none has to. */
    private static final int DT_IGNORED = 0x6000000d;
    private static final int DF_TEXTREL = 4;
    private static final int R_386_32 = 1;
    private static final int R_386_PC32 = 2;
    private static final int R_386_GLOB_DAT = 6;
    private static final int R_386_JUMP_SLOT = 7;
    private static final int R_386_RELATIVE = 8;
    private static final int R_386_TLS_TPOFF = 14;
    private static final int STT_TLS = 6;
    private static final int SHT_DYNSYM = 11;
    private static final int SHN_ABS = 0xfff1;
    /** Dynamic entries that hold addresses: the tables, init and fini, the version tables. */
    private static final List<Integer> ADDRESSES =
            List.of(3, 4, 5, 6, 12, 13, 17, 23, 25, 26, 0x6ffffef5, 0x6ffffff0, 0x6ffffffc, 0x6ffffffe);

    private record Segment(int header, int offset, int address, int fileBytes, int memoryBytes, int flags) {
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

    private record Relocation(int place, int info) {
        int type() {
            return info & 255;
        }

        int symbol() {
            return info >>> 8;
        }
    }

    private final ByteBuffer elf;
    private final int base;
    private final List<Segment> segments = new ArrayList<>();
    private final Map<Integer, Integer> entries = new HashMap<>();
    private final Map<Integer, Integer> stubs = new HashMap<>();
    private final List<Relocation> relative = new ArrayList<>();
    private final List<Relocation> symbolic = new ArrayList<>();
    private Segment code;
    private Segment data;
    /** Where the file has the next segment: the page's rest before it is free. */
    private int codeEnd;
    /** Where the next stub goes, and the next slot; addresses before the move. */
    private int nextStub;
    private int nextSlot;

    private FixedAddress(byte[] file, int base) {
        this.elf = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
        this.base = base;
    }

    public static void main(String[] arguments) throws IOException {
        Path library = Path.of(arguments[0]);
        FixedAddress fixed = new FixedAddress(Files.readAllBytes(library), Long.decode(arguments[1]).intValue());
        if (fixed.elf.getInt(0) != 0x464c457f || fixed.elf.get(4) != 1 || fixed.elf.getShort(18) != 3) {
            throw new IllegalArgumentException(library + " is no 32-bit x86 library");
        }
        fixed.readHeaders();
        if (!fixed.entries.containsKey(DT_TEXTREL)) {
            return;
        }
        fixed.resolveRelocations();
        fixed.guardStart();
        fixed.writeRelocations();
        fixed.move();
        Files.write(library, fixed.elf.array());
    }

    private void readHeaders() {
        int dynamic = 0;
        for (int i = 0; i < elf.getShort(44); i++) {
            int at = elf.getInt(28) + 32 * i;
            if (elf.getInt(at) == 1) {
                segments.add(new Segment(
                        at, elf.getInt(at + 4), elf.getInt(at + 8), elf.getInt(at + 16), elf.getInt(at + 20), elf.getInt(at + 24)));
            } else if (elf.getInt(at) == 2) {
                dynamic = elf.getInt(at + 4);
            }
        }
        code = segments.stream().filter(Segment::isCode).findFirst().orElseThrow();
        data = segments.stream().filter(Segment::isWritable).findFirst().orElseThrow();
        codeEnd = segments.stream().mapToInt(Segment::offset).filter(o -> o > code.offset).min().orElseThrow();
        nextStub = (code.address + code.fileBytes + 15) & ~15;
        nextSlot = (data.address + data.memoryBytes + 3) & ~3;
        for (int at = dynamic; elf.getInt(at) != DT_NULL; at += 8) {
            entries.put(elf.getInt(at), at);
        }
    }

    private int value(int tag) {
        return elf.getInt(entries.get(tag) + 4);
    }

    private Segment segmentOf(int address) {
        return segments.stream().filter(s -> s.holds(address)).findFirst().orElseThrow();
    }

    private int offset(int address) {
        Segment segment = segmentOf(address);
        return address - segment.address + segment.offset;
    }

    /** Adds to the word at an address of the file. */
    private void add(int address, int amount) {
        int at = offset(address);
        elf.putInt(at, elf.getInt(at) + amount);
    }

    /** Settles what lies in code and constants, keeps the rest for the loader, and sets every absolute address. */
    private void resolveRelocations() {
        for (Relocation each : relocations(value(17), value(DT_RELSZ))) {
            boolean isWritable = segmentOf(each.place).isWritable();
            if (each.type() == R_386_RELATIVE) {
                add(each.place, base);
            }
            if (isWritable) {
                (each.type() == R_386_RELATIVE ? relative : symbolic).add(each);
            } else if (each.type() != R_386_RELATIVE) {
                resolveInText(each);
            }
        }
        for (Relocation each : relocations(value(23), value(2))) {
            if (each.type() == R_386_JUMP_SLOT) {
                add(each.place, base);
            }
        }
    }

    private List<Relocation> relocations(int table, int bytes) {
        List<Relocation> found = new ArrayList<>();
        for (int at = offset(table), end = at + bytes; at < end; at += 8) {
            found.add(new Relocation(elf.getInt(at), elf.getInt(at + 4)));
        }
        return found;
    }

    private void resolveInText(Relocation each) {
        switch (each.type()) {
            case R_386_32 -> add(each.place, base + target(each.symbol()));
            case R_386_PC32 -> add(each.place, target(each.symbol()) - each.place);
            case R_386_TLS_TPOFF -> callForThreadLocal(each);
            default -> throw new IllegalStateException("a relocation of type " + each.type() + " in the code: not known here");
        }
    }

    /** The symbol's address if it is the library's own, or that of a stub that jumps to it. */
    private int target(int symbol) {
        int at = offset(value(6)) + 16 * symbol;
        return elf.getShort(at + 14) != 0 ? elf.getInt(at + 4) : stubs.computeIfAbsent(symbol, this::makeStub);
    }

    private int makeStub(int symbol) {
        int slot = makeSlot(symbol << 8 | R_386_GLOB_DAT);
        int stub = nextStub;
        code(0xff, 0x25).word(slot); // jmp *slot
        return stub;
    }

    private int makeSlot(int info) {
        symbolic.add(new Relocation(nextSlot, info));
        nextSlot += 4;
        return base + nextSlot - 4;
    }

    /**
     * "mov %register,%gs:offset" has in it an offset that is known at load only. A call of the same length takes it from a slot and does
     * the same; neither changes a flag.
     */
    private void callForThreadLocal(Relocation each) {
        int at = offset(each.place) - 3;
        int operands = elf.get(at + 2) & 255;
        if ((elf.getShort(at) & 0xffff) != 0x8965 || (operands & 0xc7) != 5 || each.symbol() != 0 || elf.getInt(at + 3) != 0) {
            throw new IllegalStateException("a thread-local variable is used in a way not known here");
        }
        int register = operands >> 3 & 7;
        int scratch = register == 1 ? 2 : 1;
        int stub = nextStub;
        code(0x50 + scratch); // push scratch
        code(0x8b, 5 + (scratch << 3)).word(makeSlot(R_386_TLS_TPOFF)); // mov slot,scratch
        code(0x65, 0x89, (register << 3) + scratch); // mov register,%gs:(scratch)
        code(0x58 + scratch, 0xc3); // pop scratch; ret
        elf.put(at, (byte) 0xe8);
        elf.putInt(at + 1, stub - (each.place - 3) - 5);
        elf.putShort(at + 5, (short) 0x9066); // nop
    }

    /** Puts a check before the library's own start: where it runs is where it was moved to, or the process ends. */
    private void guardStart() {
        byte[] line = ("libjvm.so: its address 0x" + Integer.toHexString(base) + " is taken\n").getBytes(StandardCharsets.US_ASCII);
        int message = nextStub;
        for (byte each : line) {
            code(each);
        }
        int guard = nextStub;
        int here = guard + 5;
        code(0xe8).word(0).code(0x58); // call here; here: pop %eax
        code(0x3d).word(base + here).code(0x75, 5); // cmp $expected,%eax; jne taken
        code(0xe9).word(value(12) - (nextStub + 4)); // jmp start
        code(0x8d, 0x88).word(message - here); // taken: lea message(%eax),%ecx
        code(0xba).word(line.length).code(0xbb).word(2); // mov $length,%edx; mov $2,%ebx
        code(0xb8).word(4).code(0xcd, 0x80); // write
        code(0xbb).word(71).code(0xb8).word(252).code(0xcd, 0x80); // exit_group(71)
        elf.putInt(entries.get(12) + 4, guard);
    }

    /** Appends bytes behind the code. */
    private FixedAddress code(int... bytes) {
        for (int each : bytes) {
            int at = code.offset + nextStub++ - code.address;
            if (at >= codeEnd || elf.get(at) != 0) {
                throw new IllegalStateException("there is no room behind the code");
            }
            elf.put(at, (byte) each);
        }
        return this;
    }

    private FixedAddress word(int value) {
        return code(value, value >> 8, value >> 16, value >> 24);
    }

    private void writeRelocations() {
        int at = offset(value(17));
        List<Relocation> left = new ArrayList<>(relative);
        left.addAll(symbolic);
        for (Relocation each : left) {
            elf.putInt(at, each.place + base);
            elf.putInt(at + 4, each.info);
            at += 8;
        }
        elf.putInt(entries.get(DT_RELSZ) + 4, 8 * left.size());
        elf.putInt(entries.get(DT_RELCOUNT) + 4, relative.size());
        elf.putInt(entries.get(DT_FLAGS) + 4, value(DT_FLAGS) & ~DF_TEXTREL);
        elf.putInt(entries.get(DT_TEXTREL), DT_IGNORED);
    }

    /** Adds the base to every address that the file itself is described by. */
    private void move() {
        moveSections();
        int calls = offset(value(23));
        for (int at = calls; at < calls + value(2); at += 8) {
            elf.putInt(at, elf.getInt(at) + base);
        }
        add(value(3), base);
        for (int tag : ADDRESSES) {
            if (entries.containsKey(tag)) {
                elf.putInt(entries.get(tag) + 4, value(tag) + base);
            }
        }
        for (int i = 0; i < elf.getShort(44); i++) {
            int at = elf.getInt(28) + 32 * i;
            if (elf.getInt(at + 8) != 0 || elf.getInt(at) == 1) {
                elf.putInt(at + 8, elf.getInt(at + 8) + base);
                elf.putInt(at + 12, elf.getInt(at + 12) + base);
            }
        }
        elf.putInt(code.header + 16, nextStub - code.address);
        elf.putInt(code.header + 20, nextStub - code.address);
        elf.putInt(data.header + 20, nextSlot - data.address);
    }

    /** Only tools read the sections, and these shall see what the loader sees; the dynamic symbols are reached by way of theirs. */
    private void moveSections() {
        for (int i = 0; i < elf.getShort(48); i++) {
            int at = elf.getInt(32) + 40 * i;
            boolean isLoaded = (elf.getInt(at + 8) & 2) != 0;
            if (isLoaded && elf.getInt(at + 12) == value(17)) {
                elf.putInt(at + 20, value(DT_RELSZ));
            }
            if (isLoaded) {
                elf.putInt(at + 12, elf.getInt(at + 12) + base);
            }
            if (elf.getInt(at + 4) == SHT_DYNSYM) {
                moveSymbols(elf.getInt(at + 16), elf.getInt(at + 20));
            }
        }
    }

    private void moveSymbols(int table, int bytes) {
        for (int at = table; at < table + bytes; at += 16) {
            int section = elf.getShort(at + 14) & 0xffff;
            if (section != 0 && section < SHN_ABS && (elf.get(at + 12) & 15) != STT_TLS) {
                elf.putInt(at + 4, elf.getInt(at + 4) + base);
            }
        }
    }
}
