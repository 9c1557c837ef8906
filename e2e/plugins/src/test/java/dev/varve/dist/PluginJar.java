package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

/** Makes a plugin as somebody else would: from sources and the installation alone. */
final class PluginJar {
    private PluginJar() {}

    /**
     * Compiles a module and drops it into an installation.
     *
     * @param sources folder of the module's sources
     * @param name of the file in {@code plugins/}
     * @return the file
     */
    static Path drop(Path installation, Path sources, String name) throws IOException {
        Path classes = sources.resolveSibling(sources.getFileName() + "-classes");
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "-p",
                                installation.resolve("lib").toString(),
                                "-d",
                                classes.toString()));
        try (Stream<Path> files = Files.walk(sources)) {
            files.filter(Files::isRegularFile).map(Path::toString).forEach(arguments::add);
        }
        int status =
                ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, arguments.toArray(String[]::new));
        assertEquals(0, status, "the plugin compiles against the api alone");
        Path jar = installation.resolve("plugins").resolve(name);
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file);
                Stream<Path> compiled = Files.walk(classes)) {
            for (Path each : compiled.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(new JarEntry(classes.relativize(each).toString()));
                Files.copy(each, out);
            }
        }
        return jar;
    }
}
