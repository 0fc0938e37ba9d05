import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Prints the lowest address at which this process has mapped the library of that name: {@code Mapping libjvm.so}; 1 where it has not. */
final class Mapping {
    private Mapping() {}

    public static void main(String[] arguments) throws Exception {
        for (String line : Files.readAllLines(Path.of("/proc/self/maps"), StandardCharsets.UTF_8)) {
            if (line.endsWith("/" + arguments[0])) {
                System.out.println("0x" + line.substring(0, line.indexOf('-')));
                return;
            }
        }
        System.err.println("no " + arguments[0] + " is mapped");
        System.exit(1);
    }
}
