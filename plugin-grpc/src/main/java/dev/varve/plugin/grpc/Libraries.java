package dev.varve.plugin.grpc;

import dev.varve.api.VarveException;
import dev.varve.api.transport.TransportProvider;

import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The jars in {@code lib} beside the plugin's own, in a class loader of their own.
 *
 * <p>They would also work as modules of the plugin's layer, but resolving them opens each and lists
 * its thousands of entries: 80 ms at every start, used or not. Here they cost nothing until the
 * first connection.
 */
final class Libraries extends URLClassLoader {
    static {
        registerAsParallelCapable();
    }

    private static final String API = "dev.varve.api.";

    private final ClassLoader plugin;

    private Libraries(URL[] jars, ClassLoader plugin) {
        super("varve-grpc", jars, ClassLoader.getPlatformClassLoader());
        this.plugin = plugin;
    }

    /**
     * Creates a transport with the libraries beside this class's jar, or with those of the class
     * path if there is no such folder.
     */
    static TransportProvider load(String className) {
        try {
            return (TransportProvider)
                    loader().loadClass(className).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException | LinkageError | IOException e) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    "transport grpc: its libraries cannot be loaded: " + e,
                    e);
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
