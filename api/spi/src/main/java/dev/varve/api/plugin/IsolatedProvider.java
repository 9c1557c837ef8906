package dev.varve.api.plugin;

import dev.varve.api.VarveException;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Loads the part of a plugin that needs libraries, with these libraries, at its first use.
 *
 * <p>The libraries are the jars in the folder {@code lib} beside the plugin's own jar. They and the
 * plugin's classes get a class loader of their own, whose only other classes are the JDK's and the
 * API's. As modules of the plugin's layer the libraries would be resolved, which opens each of them
 * at every start and lists its entries. Without that folder, as in tests on a class path, the
 * plugin's own class loader is used.
 *
 * <p>Thread-safe. Creating it loads nothing.
 *
 * @param <T> type of the part, usually the plugin's SPI
 */
public final class IsolatedProvider<T> {
    private final Class<?> front;
    private final Class<T> type;
    private final String className;
    private final String failure;
    private final Optional<String> generated;
    private Optional<T> loaded = Optional.empty();

    /**
     * Creates one whose libraries do not see {@code sun.misc.Unsafe}. Libraries that use it if it
     * exists work well without it, and Java prints warnings about its use.
     *
     * @param front a class in the plugin's jar
     * @param type type of the part
     * @param className public class with a public constructor without parameters, which only this
     *     loads
     * @param failure start of the error's message if it cannot be loaded; the cause follows
     */
    public IsolatedProvider(Class<?> front, Class<T> type, String className, String failure) {
        this(front, type, className, failure, Optional.empty());
    }

    private IsolatedProvider(
            Class<?> front,
            Class<T> type,
            String className,
            String failure,
            Optional<String> generated) {
        this.front = front;
        this.type = type;
        this.className = className;
        this.failure = failure;
        this.generated = generated;
    }

    /**
     * Returns one whose libraries see {@code sun.misc.Unsafe}, if it exists, and further classes in
     * the plugin's jar.
     *
     * @param folder folder of the jar, ending in {@code /}, with classes that the libraries would
     *     otherwise generate at startup
     */
    public IsolatedProvider<T> withUnsafe(String folder) {
        return new IsolatedProvider<>(front, type, className, failure, Optional.of(folder));
    }

    /**
     * Returns the part. The first call loads it, which may take a few hundred milliseconds.
     *
     * @throws VarveException of kind UNAVAILABLE if it cannot be loaded; the next call tries again
     */
    public synchronized T get() {
        if (loaded.isEmpty()) {
            try {
                Class<?> part = loader().loadClass(className);
                loaded = Optional.of(type.cast(part.getDeclaredConstructor().newInstance()));
            } catch (ReflectiveOperationException
                    | LinkageError
                    | IOException
                    | URISyntaxException e) {
                throw new VarveException(VarveException.Kind.UNAVAILABLE, failure + ": " + e, e);
            }
        }
        return loaded.get();
    }

    private ClassLoader loader() throws IOException, URISyntaxException {
        Path jar = Path.of(front.getProtectionDomain().getCodeSource().getLocation().toURI());
        Path folder = jar.resolveSibling("lib");
        if (!Files.isRegularFile(jar) || !Files.isDirectory(folder)) {
            return front.getClassLoader();
        }
        List<URL> urls = new ArrayList<>(List.of(jar.toUri().toURL()));
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".jar")).sorted().toList()) {
                urls.add(file.toUri().toURL());
            }
        }
        if (generated.isPresent()) {
            urls.add(URI.create("jar:" + jar.toUri() + "!/" + generated.get()).toURL());
        }
        return new LibraryLoader(
                front.getModule().getName() + "/lib",
                urls.toArray(URL[]::new),
                generated.isPresent());
    }

    private static final class LibraryLoader extends URLClassLoader {
        static {
            registerAsParallelCapable();
        }

        private final boolean unsafe;

        LibraryLoader(String name, URL[] urls, boolean unsafe) {
            super(name, urls, getPlatformClassLoader());
            this.unsafe = unsafe;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!unsafe && name.startsWith("sun.misc.")) {
                throw new ClassNotFoundException(name);
            }
            return super.loadClass(name, resolve);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            return name.startsWith("dev.varve.api.")
                    ? IsolatedProvider.class.getClassLoader().loadClass(name)
                    : super.findClass(name);
        }
    }
}
