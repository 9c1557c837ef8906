package dev.varve.plugin.otlp;

import dev.varve.api.telemetry.TraceExporterProvider;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * The jars in {@code lib} beside the plugin's own, in a class loader of their own: resolving them
 * as modules would cost time at every start, used or not.
 */
final class Libraries extends URLClassLoader {
    static {
        registerAsParallelCapable();
    }

    private static final String API = "dev.varve.api.";

    /**
     * The libraries log again, with the whole stack trace, what the platform logs in one line. The
     * reference keeps the logger's level from being lost.
     */
    private static final Logger THEIR_LOG = Logger.getLogger("io.opentelemetry");

    private final ClassLoader plugin;

    private Libraries(URL[] jars, ClassLoader plugin) {
        super("varve-otlp", jars, ClassLoader.getPlatformClassLoader());
        this.plugin = plugin;
    }

    /**
     * Creates a provider with the libraries beside this class's jar, or with those of the class
     * path if there is no such folder.
     *
     * @throws IOException if they cannot be loaded
     */
    static TraceExporterProvider load(String className) throws IOException {
        THEIR_LOG.setLevel(Level.OFF);
        try {
            return (TraceExporterProvider)
                    loader().loadClass(className).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new IOException("the libraries of trace exporter otlp cannot be loaded: " + e, e);
        }
    }

    private static ClassLoader loader() throws IOException {
        ClassLoader plugin = Libraries.class.getClassLoader();
        Path jar = ownJar();
        Path folder = jar.resolveSibling("lib");
        if (!Files.isRegularFile(jar) || !Files.isDirectory(folder)) {
            return plugin;
        }
        List<URL> jars = new ArrayList<>(List.of(jar.toUri().toURL()));
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(f -> f.toString().endsWith(".jar")).sorted().toList()) {
                jars.add(file.toUri().toURL());
            }
        }
        return new Libraries(jars.toArray(URL[]::new), plugin);
    }

    private static Path ownJar() throws IOException {
        CodeSource source = Libraries.class.getProtectionDomain().getCodeSource();
        try {
            return Path.of(source.getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IOException("no file: " + source.getLocation(), e);
        }
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        // The libraries use Unsafe if it exists, for which Java prints warnings; they work well
        // without it.
        if (name.startsWith("sun.misc.")) {
            throw new ClassNotFoundException(name);
        }
        return super.loadClass(name, resolve);
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        return name.startsWith(API) ? plugin.loadClass(name) : super.findClass(name);
    }
}
