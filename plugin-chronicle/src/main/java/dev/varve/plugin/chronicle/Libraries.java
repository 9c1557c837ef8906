package dev.varve.plugin.chronicle;

import dev.varve.api.snapshot.SnapshotStoreProvider;

import java.io.IOException;
import java.net.URI;
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
 * The jars in {@code lib} beside the plugin's own, in a class loader of their own. They are no
 * modules: some share packages, and they access Java's internals, which the options open to unnamed
 * modules only.
 */
final class Libraries extends URLClassLoader {
    static {
        registerAsParallelCapable();
    }

    private static final String API = "dev.varve.api.";

    /**
     * The libraries log greetings, warnings about parts that are left out on purpose, and
     * exceptions that they also throw. The reference keeps the logger's level from being lost.
     */
    private static final Logger THEIR_LOG = Logger.getLogger("net.openhft");

    private final ClassLoader plugin;

    private Libraries(URL[] jars, ClassLoader plugin) {
        super("varve-chronicle", jars, ClassLoader.getPlatformClassLoader());
        this.plugin = plugin;
    }

    /**
     * Creates a provider with the libraries beside this class's jar, or with those of the class
     * path if there is no such folder.
     *
     * @throws IOException if they cannot be loaded
     */
    static SnapshotStoreProvider load(String className) throws IOException {
        THEIR_LOG.setLevel(Level.OFF);
        try {
            ClassLoader loader = loader();
            JavaOptions.require(loader.getUnnamedModule());
            return (SnapshotStoreProvider)
                    loader.loadClass(className).getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IOException("the libraries of store chronicle cannot be loaded: " + e, e);
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
        // Classes that the libraries would generate and compile at startup; the build has generated
        // them.
        jars.add(URI.create("jar:" + jar.toUri() + "!/META-INF/generated/").toURL());
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
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        return name.startsWith(API) ? plugin.loadClass(name) : super.findClass(name);
    }
}
