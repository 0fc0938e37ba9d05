package io.remora.process;

import java.lang.management.ManagementFactory;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Access to the JDK's beans without the registry of all beans, which {@link ManagementFactory} searches by streams and
 * method handles: a hundred classes more.
 *
 * <p>By reflection, as the compiler does not know the package. The jar's manifest exports it.
 */
final class JvmBeans {
    private static final String FACTORY = "sun.management.ManagementFactoryHelper";

    private JvmBeans() {}

    /** The result of a method of the JDK's factory or, where its package is not exported, of the public method. */
    @SuppressWarnings("unchecked")
    static <T extends @Nullable Object> T get(String method, Supplier<T> otherwise) {
        try {
            return (T) Class.forName(FACTORY).getMethod(method).invoke(null);
        } catch (ReflectiveOperationException e) {
            return otherwise.get();
        }
    }
}
