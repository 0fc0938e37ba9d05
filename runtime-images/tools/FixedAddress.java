import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Frees the 32-bit libjvm.so of text relocations: {@code FixedAddress LIBRARY ADDRESS}. HotSpot is not compiled as position-independent
 * code there, so that the loader would write into nearly every page of it: an SELinux host refuses that, and each process pays for pages
 * of its own.
 *
 * <p>The library is moved, once and for all, to an address that Linux leaves free at a start, and every absolute address in it is set here.
 * Calls of other libraries' functions go through stubs behind the code, which jump by way of slots behind the data: those are the
 * loader's to fill. A check at the library's start ends the process with one line if the address was taken after all.
 */
final class FixedAddress {
    /** A tag that no loader knows and none has to. */
    private static final int DT_IGNORED = 0x6000000d;
    private static final int DF_TEXTREL = 4;
    private static final int R_386_32 = 1;
    private static final int R_386_PC32 = 2;
    private static final int R_386_GLOB_DAT = 6;
    private static final int R_386_JUMP_SLOT = 7;
    private static final int R_386_RELATIVE = 8;
    private static final int R_386_TLS_TPOFF = 14;
    private static final int SHF_ALLOC = 2;
    private static final int SHN_ABS = 0xfff1;
    private static final int SHT_DYNSYM = 11;
    private static final int STT_TLS = 6;
    /** Dynamic entries that hold addresses: the tables, init and fini, the tables of versions. */
    private static final List<Integer> ADDRESSES =
            List.of(3, 4, 5, 6, 12, 13, 17, 23, 25, 26, 0x6ffffef5, 0x6ffffff0, 0x6ffffffc, 0x6ffffffe);

    private final Elf32 elf;
    private final int base;
    private final Elf32.Segment code;
    private final Elf32.Segment data;
    private final Map<Integer, Integer> stubs = new HashMap<>();
    private final List<Elf32.Relocation> relative = new ArrayList<>();
    private final List<Elf32.Relocation> symbolic = new ArrayList<>();
    /** Where the next stub goes, and the next slot; addresses before the move. */
    private int nextStub;
    private int nextSlot;

    private FixedAddress(Elf32 elf, int base) {
        this.elf = elf;
        this.base = base;
        code = elf.code();
        data = elf.data();
        nextStub = (code.address() + code.fileBytes() + 15) & ~15;
        nextSlot = (data.address() + data.memoryBytes() + 3) & ~3;
    }

    public static void main(String[] arguments) throws IOException {
        Path library = Path.of(arguments[0]);
        Elf32 elf = new Elf32(Files.readAllBytes(library));
        if (elf.entries.containsKey(Elf32.DT_TEXTREL)) {
            FixedAddress fixed = new FixedAddress(elf, Long.decode(arguments[1]).intValue());
            fixed.resolveRelocations();
            fixed.guardStart();
            fixed.writeRelocations();
            fixed.moveSections();
            fixed.moveSegments();
            Files.write(library, elf.bytes.array());
        }
    }

    /** Settles what lies in code and constants, keeps the rest for the loader, and sets every absolute address. */
    private void resolveRelocations() {
        for (Elf32.Relocation each : elf.relocations(Elf32.DT_REL, Elf32.DT_RELSZ)) {
            if (each.type() == R_386_RELATIVE) {
                elf.add(elf.offset(each.place()), base);
            }
            if (elf.segmentOf(each.place()).isWritable()) {
                (each.type() == R_386_RELATIVE ? relative : symbolic).add(each);
            } else if (each.type() != R_386_RELATIVE) {
                resolveInText(each);
            }
        }
        for (Elf32.Relocation each : elf.relocations(Elf32.DT_JMPREL, Elf32.DT_PLTRELSZ)) {
            if (each.type() == R_386_JUMP_SLOT) {
                elf.add(elf.offset(each.place()), base);
            }
        }
    }

    private void resolveInText(Elf32.Relocation each) {
        int at = elf.offset(each.place());
        switch (each.type()) {
            case R_386_32 -> elf.add(at, base + target(each.symbol()));
            case R_386_PC32 -> elf.add(at, target(each.symbol()) - each.place());
            case R_386_TLS_TPOFF -> callForThreadLocal(each, at - 3);
            default -> throw new IllegalStateException("a relocation of type " + each.type() + " in the code: not known here");
        }
    }

    /** The symbol's address if it is the library's own, or that of a stub that jumps to it. */
    private int target(int symbol) {
        int at = elf.offset(elf.value(Elf32.DT_SYMTAB)) + 16 * symbol;
        return elf.bytes.getShort(at + 14) != 0 ? elf.get(at + 4) : stubs.computeIfAbsent(symbol, this::makeStub);
    }

    private int makeStub(int symbol) {
        int slot = makeSlot(symbol << 8 | R_386_GLOB_DAT);
        int stub = nextStub;
        code(0xff, 0x25).word(slot); // jmp *slot
        return stub;
    }

    private int makeSlot(int info) {
        symbolic.add(new Elf32.Relocation(nextSlot, info));
        nextSlot += 4;
        return base + nextSlot - 4;
    }

    /**
     * "mov %register,%gs:offset" has in it an offset that is known at load only. A call of the same length takes it from a slot and does
     * the same; neither changes a flag.
     */
    private void callForThreadLocal(Elf32.Relocation each, int at) {
        int operands = elf.bytes.get(at + 2) & 255;
        if ((elf.bytes.getShort(at) & 0xffff) != 0x8965 || (operands & 0xc7) != 5 || each.symbol() != 0 || elf.get(at + 3) != 0) {
            throw new IllegalStateException("a thread-local variable is used in a way not known here");
        }
        int register = operands >> 3 & 7;
        int scratch = register == 1 ? 2 : 1;
        int stub = nextStub;
        code(0x50 + scratch); // push scratch
        code(0x8b, 5 + (scratch << 3)).word(makeSlot(R_386_TLS_TPOFF)); // mov slot,scratch
        code(0x65, 0x89, (register << 3) + scratch); // mov register,%gs:(scratch)
        code(0x58 + scratch, 0xc3); // pop scratch; ret
        elf.bytes.put(at, (byte) 0xe8);
        elf.put(at + 1, stub - (each.place() - 3) - 5);
        elf.bytes.putShort(at + 5, (short) 0x9066); // nop
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
        code(0xe9).word(elf.value(Elf32.DT_INIT) - (nextStub + 4)); // jmp start
        code(0x8d, 0x88).word(message - here); // taken: lea message(%eax),%ecx
        code(0xba).word(line.length).code(0xbb).word(2); // mov $length,%edx; mov $2,%ebx
        code(0xb8).word(4).code(0xcd, 0x80); // write
        code(0xbb).word(71).code(0xb8).word(252).code(0xcd, 0x80); // exit_group(71)
        elf.setValue(Elf32.DT_INIT, guard);
    }

    /** Appends bytes behind the code. */
    private FixedAddress code(int... bytes) {
        for (int each : bytes) {
            int at = code.offset() + nextStub++ - code.address();
            if (at >= elf.endOfRoom(code) || elf.bytes.get(at) != 0) {
                throw new IllegalStateException("there is no room behind the code");
            }
            elf.bytes.put(at, (byte) each);
        }
        return this;
    }

    private FixedAddress word(int value) {
        return code(value, value >> 8, value >> 16, value >> 24);
    }

    private void writeRelocations() {
        int at = elf.offset(elf.value(Elf32.DT_REL));
        List<Elf32.Relocation> left = new ArrayList<>(relative);
        left.addAll(symbolic);
        for (Elf32.Relocation each : left) {
            elf.put(at, each.place() + base);
            elf.put(at + 4, each.info());
            at += 8;
        }
        elf.setValue(Elf32.DT_RELSZ, 8 * left.size());
        elf.setValue(Elf32.DT_RELCOUNT, relative.size());
        elf.setValue(Elf32.DT_FLAGS, elf.value(Elf32.DT_FLAGS) & ~DF_TEXTREL);
        elf.put(elf.entries.get(Elf32.DT_TEXTREL), DT_IGNORED);
    }

    /** Only tools read the sections, and these shall see what the loader sees; the dynamic symbols are reached by way of theirs. */
    private void moveSections() {
        for (int at : elf.sectionHeaders()) {
            boolean isLoaded = (elf.get(at + 8) & SHF_ALLOC) != 0;
            if (isLoaded && elf.get(at + 12) == elf.value(Elf32.DT_REL)) {
                elf.put(at + 20, elf.value(Elf32.DT_RELSZ));
            }
            if (isLoaded) {
                elf.add(at + 12, base);
            }
            if (elf.get(at + 4) == SHT_DYNSYM) {
                moveSymbols(elf.get(at + 16), elf.get(at + 20));
            }
        }
    }

    private void moveSymbols(int table, int bytes) {
        for (int at = table; at < table + bytes; at += 16) {
            int section = elf.bytes.getShort(at + 14) & 0xffff;
            if (section != 0 && section < SHN_ABS && (elf.bytes.get(at + 12) & 15) != STT_TLS) {
                elf.add(at + 4, base);
            }
        }
    }

    /** The last step: from here on the file's addresses are those after the move. */
    private void moveSegments() {
        int calls = elf.offset(elf.value(Elf32.DT_JMPREL));
        for (int at = calls; at < calls + elf.value(Elf32.DT_PLTRELSZ); at += 8) {
            elf.add(at, base);
        }
        // its first word is the address of the dynamic section, without a relocation
        elf.add(elf.offset(elf.value(Elf32.DT_PLTGOT)), base);
        for (int tag : ADDRESSES) {
            if (elf.entries.containsKey(tag)) {
                elf.setValue(tag, elf.value(tag) + base);
            }
        }
        for (int at : elf.programHeaders()) {
            // one without contents has no address either
            if (elf.get(at + 20) != 0) {
                elf.add(at + 8, base);
                elf.add(at + 12, base);
            }
        }
        elf.put(code.header() + 16, nextStub - code.address());
        elf.put(code.header() + 20, nextStub - code.address());
        elf.put(data.header() + 20, nextSlot - data.address());
    }
}
