package io.remora.finagle;

import com.twitter.finagle.Filter;
import com.twitter.finagle.Service;
import com.twitter.finagle.http.Request;
import com.twitter.finagle.http.Response;
import io.remora.config.model.PlacedText;
import io.remora.config.model.Problem;
import io.remora.finaglekeys.PluginsConfig;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Finds the classes of users' filters in the jars of a directory, and reports their problems. */
final class FilterClasses {
    private FilterClasses() {}

    /**
     * Returns the problems of the filters' classes, and runs none of their code.
     *
     * @param name the configuration's name, as the reader knows it
     */
    static List<Problem> problems(String name, PluginsConfig config) {
        List<Problem> problems = new ArrayList<>();
        try (URLClassLoader loader = loader(config.directory().text())) {
            for (PlacedText filter : config.filters()) {
                try {
                    find(loader, filter.text());
                } catch (IOException e) {
                    problems.add(filter.problem(name, "plugins.filters: " + e.getMessage()));
                }
            }
        } catch (IOException e) {
            problems.add(config.directory().problem(name, "plugins.directory: " + e.getMessage()));
        }
        return problems;
    }

    /**
     * Returns a loader of every jar in the directory, by name, so that the same class is found at each start.
     *
     * @throws IOException where there is none
     */
    static URLClassLoader loader(String directory) throws IOException {
        List<Path> jars = new ArrayList<>();
        try (DirectoryStream<Path> found = Files.newDirectoryStream(Path.of(directory), "*.jar")) {
            found.forEach(jars::add);
        } catch (IOException | DirectoryIteratorException | InvalidPathException e) {
            throw new IOException("'" + directory + "' cannot be read, expected a directory of jars (" + e + ")", e);
        }
        if (jars.isEmpty()) {
            throw new IOException("'" + directory + "' has no jar, expected those of the filters");
        }
        Collections.sort(jars);
        URL[] places = new URL[jars.size()];
        for (int i = 0; i < places.length; i++) {
            places[i] = jars.get(i).toUri().toURL();
        }
        return new URLClassLoader("filters", places, FilterClasses.class.getClassLoader());
    }

    /**
     * @throws IOException where it is none that could be used
     */
    private static Class<?> find(ClassLoader loader, String name) throws IOException {
        Class<?> found;
        try {
            found = Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new IOException("no class '" + name + "' in the jars of the directory", e);
        } catch (LinkageError e) {
            throw new IOException("'" + name + "' cannot be loaded: " + e, e);
        }
        if (!Filter.class.isAssignableFrom(found) || !takesRequests(name, found)) {
            throw new IOException("'" + name
                    + "' is no filter of HTTP, expected a com.twitter.finagle.Filter of Request and Response");
        }
        if (!Modifier.isPublic(found.getModifiers()) || Modifier.isAbstract(found.getModifiers()) || !isMade(found)) {
            throw new IOException("'" + name + "' cannot be made, expected a public class with a public constructor "
                    + "that takes nothing");
        }
        return found;
    }

    // of what it answers with nothing is left in the class
    private static boolean takesRequests(String name, Class<?> type) throws IOException {
        try {
            for (Method method : type.getMethods()) {
                Class<?>[] takes = method.getParameterTypes();
                if (method.getName().equals("apply")
                        && !method.isBridge()
                        && takes.length == 2
                        && takes[1] == Service.class
                        && takes[0].isAssignableFrom(Request.class)) {
                    return true;
                }
            }
            return false;
        } catch (LinkageError e) {
            throw new IOException("'" + name + "' cannot be loaded: " + e, e);
        }
    }

    private static boolean isMade(Class<?> type) {
        try {
            return Modifier.isPublic(type.getConstructor().getModifiers());
        } catch (NoSuchMethodException e) {
            return false;
        }
    }

    /**
     * @throws IOException where there is none, or its constructor failed
     */
    @SuppressWarnings("unchecked") // as far as a class can tell
    static Filter<Request, Response, Request, Response> make(ClassLoader loader, String name) throws IOException {
        try {
            return (Filter<Request, Response, Request, Response>)
                    find(loader, name).getConstructor().newInstance();
        } catch (InvocationTargetException e) {
            throw new IOException("plugins.filters: '" + name + "' cannot be made: " + e.getCause(), e);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new IOException("plugins.filters: '" + name + "' cannot be made: " + e, e);
        }
    }
}
