package io.remora.process;

import java.lang.management.ManagementFactory;
import java.lang.management.RuntimeMXBean;
import java.util.List;

/** The arguments that the JVM has received, with those of argument files and of its own variables. */
public final class VmArguments {
    private VmArguments() {}

    /**
     * Returns them in their order, of which the last of two wins; without the class and its arguments.
     *
     * @throws LinkageError in a runtime image without the module java.management
     */
    public static List<String> read() {
        RuntimeMXBean runtime = JvmBeans.get("getRuntimeMXBean", ManagementFactory::getRuntimeMXBean);
        return runtime.getInputArguments();
    }
}
