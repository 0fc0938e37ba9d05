package io.remora.profile;

import io.remora.flame.CallTree;
import io.remora.flame.Frame;
import io.remora.flame.FrameKind;
import io.remora.process.ProcFile;
import java.io.Closeable;
import java.io.IOException;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The frames of a profile, by the identifiers of methods, addresses of functions and threads that the sampler reports. Functions
 * that a library does not export have names if {@link LibrarySymbols} finds the library's file of symbols.
 *
 * <p>Owner: the thread of the profile. Bounds: {@value #MAX_KNOWN} identifiers and addresses are remembered at a time.
 */
final class FrameNames implements Closeable {
    private static final int MAX_KNOWN = 2_048;
    private static final String VM_LIBRARY = "libjvm.so";

    private final CallTree tree;
    private final Map<Long, Integer> methods = new HashMap<>();
    private final Map<Long, Integer> functions = new HashMap<>();
    private final Map<Integer, Integer> threads = new HashMap<>();
    /** Numbers of frames by the address at which a function of the kernel begins. They have no names until the profile ends. */
    private final Map<Long, Integer> kernel = new TreeMap<>();
    /** Numbers of frames that stand for any function of a library. */
    private final BitSet unnamed = new BitSet();
    /** By the library's path; null for one without. */
    private final Map<String, @Nullable SymbolFile> symbols = new HashMap<>();

    FrameNames(CallTree tree) {
        this.tree = tree;
    }

    int thread(int tid) {
        Integer known = threads.get(tid);
        if (known != null) {
            return known;
        }
        String name = ProcFile.read("/proc/self/task/" + tid + "/comm").strip();
        int id = tree.frame(Frame.of(name.isEmpty() ? "[ended]" : '[' + name + ']', FrameKind.THREAD));
        threads.put(tid, id);
        return id;
    }

    /** Forgets a thread, whose number another one may get. */
    void forget(int tid) {
        threads.remove(tid);
    }

    int method(long id) {
        Integer known = methods.get(id);
        return known != null ? known : remember(methods, id, Frame.of(methodName(id), FrameKind.JAVA));
    }

    private static String methodName(long id) {
        String name = id == 0 ? null : NativeSampler.method(id);
        if (name == null) {
            return "[unnamed method]";
        }
        int dot = name.lastIndexOf('.');
        return className(name.substring(0, dot)) + name.substring(dot);
    }

    private static String className(String internal) {
        // hidden classes have an address in their names, which differs between processes
        int address = internal.indexOf(".0x");
        return (address < 0 ? internal : internal.substring(0, address)).replace('/', '.');
    }

    /**
     * Returns the frame of a function of the kernel. {@link #nameKernel} names it.
     *
     * @param start address at which the function begins
     */
    int kernelFunction(long start) {
        Integer known = kernel.get(start);
        if (known != null) {
            return known;
        }
        if (kernel.size() == MAX_KNOWN) {
            return other("[other]", FrameKind.KERNEL);
        }
        int id = tree.frame(unnamedFunction(kernel.size()));
        kernel.put(start, id);
        return id;
    }

    /** Returns the frame of a function until its name is known. An address would disclose the kernel's load address. */
    private static Frame unnamedFunction(int number) {
        return Frame.of("[kernel function " + number + ']', FrameKind.KERNEL);
    }

    /** Names the functions of the kernel in the tree. Order: after the last sample. */
    void nameKernel() {
        if (kernel.isEmpty()) {
            return;
        }
        long[] starts = new long[kernel.size()];
        int count = 0;
        for (long start : kernel.keySet()) {
            starts[count++] = start;
        }
        @Nullable String[] names = new String[count];
        NativeSampler.kernelNames(starts, names);
        for (int i = 0; i < count; i++) {
            String name = names[i];
            Integer number = kernel.get(starts[i]);
            if (name != null && number != null) {
                tree.rename(number, name);
            }
        }
    }

    /** Returns the frame of a class, by its signature as the VM has it. */
    int type(@Nullable String signature) {
        String text = signature == null ? "" : signature;
        int dimensions = 0;
        while (text.startsWith("[", dimensions)) {
            dimensions++;
        }
        String element = text.substring(dimensions);
        int end = element.length() - (element.endsWith(";") ? 1 : 0);
        String name = element.startsWith("L") ? className(element.substring(1, end)) : primitive(element);
        return other(name + "[]".repeat(dimensions), FrameKind.TYPE);
    }

    /** Returns the type of an array's elements. Spec: JVMS 4.3.2. */
    private static String primitive(String letter) {
        return switch (letter) {
            case "B" -> "byte";
            case "C" -> "char";
            case "D" -> "double";
            case "F" -> "float";
            case "I" -> "int";
            case "J" -> "long";
            case "S" -> "short";
            case "Z" -> "boolean";
            default -> "[unnamed class]";
        };
    }

    /**
     * Returns the frame of a function.
     *
     * @param caller whether the address is where a call returns to, behind the call
     */
    int function(long address, boolean caller) {
        Integer known = functions.get(address);
        if (known != null) {
            return known;
        }
        Frame frame = frame(address - (caller ? 1 : 0));
        int id = remember(functions, address, frame);
        unnamed.set(id, frame.name().startsWith("["));
        return id;
    }

    /** Returns whether a frame stands for any function of a library, so that several in a row are one. */
    boolean isUnnamed(int frame) {
        return unnamed.get(frame);
    }

    /** Returns a frame with a given name. */
    int other(String name, FrameKind kind) {
        return tree.frame(Frame.of(name, kind));
    }

    private int remember(Map<Long, Integer> known, long key, Frame frame) {
        if (known.size() == MAX_KNOWN) {
            known.clear();
        }
        int id = tree.frame(frame);
        known.put(key, id);
        return id;
    }

    private Frame frame(long address) {
        String told = NativeSampler.symbol(address);
        if (told == null) {
            return Frame.of("[unknown]", FrameKind.NATIVE);
        }
        int space = told.indexOf(' ');
        int line = told.indexOf('\n');
        String path = told.substring(space + 1, line);
        String library = path.substring(path.lastIndexOf('/') + 1);
        String name = told.substring(line + 1);
        if (name.isEmpty()) {
            name = inFile(path, Long.parseLong(told.substring(0, space)));
        }
        return Frame.of(
                name.isEmpty() ? '[' + library + ']' : name,
                library.equals(VM_LIBRARY) ? FrameKind.VM : FrameKind.NATIVE);
    }

    private String inFile(String path, long offset) {
        if (!symbols.containsKey(path)) {
            symbols.put(path, LibrarySymbols.open(path));
        }
        SymbolFile file = symbols.get(path);
        try {
            return file == null ? "" : file.name(offset);
        } catch (IOException e) {
            return "";
        }
    }

    @Override
    public void close() throws IOException {
        for (SymbolFile file : symbols.values()) {
            if (file != null) {
                file.close();
            }
        }
    }
}
