package dev.varve.platform.plugin;

import dev.varve.api.model.ModelFamilyProvider;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;

/** Compiles a module from sources in the test and packs it. */
final class PluginJar {
    private final Map<String, String> sources = new LinkedHashMap<>();
    private final List<Path> modulePath = new ArrayList<>();

    /** Adds a source by its path, such as {@code acme/Family.java}. */
    PluginJar source(String path, String text) {
        sources.put(path, text);
        return this;
    }

    /** Adds a jar to the module path of the compiler. */
    PluginJar with(Path jar) {
        modulePath.add(jar);
        return this;
    }

    /** A plugin with one family whose constructor runs {@code statement}. */
    static PluginJar family(String module, String architecture, String statement) {
        return new PluginJar()
                .source(
                        "module-info.java",
                        String.format(
                                Locale.ROOT,
                                "module %s { requires dev.varve.api; provides"
                                    + " dev.varve.api.model.ModelFamilyProvider with %s.Family; }",
                                module,
                                module))
                .source(
                        module.replace('.', '/') + "/Family.java",
                        familySource(module, architecture, statement));
    }

    static String familySource(String packageName, String architecture, String statement) {
        return String.format(
                Locale.ROOT,
                """
                package %s;

                import dev.varve.api.gguf.GgufFile;
                import dev.varve.api.model.LayerSplitAdapter;
                import dev.varve.api.model.ModelFamilyProvider;
                import dev.varve.api.model.ModelOptions;
                import java.util.Set;

                public final class Family implements ModelFamilyProvider {
                    public Family() {
                        %s
                    }

                    @Override
                    public Set<String> architectures() {
                        return Set.of("%s");
                    }

                    @Override
                    public LayerSplitAdapter open(GgufFile model, ModelOptions options) {
                        throw new UnsupportedOperationException();
                    }
                }
                """,
                packageName,
                statement,
                architecture);
    }

    /** Compiles and packs; {@code work} must be empty. */
    Path pack(Path work, Path jar) throws IOException {
        Path sourceFolder = Files.createDirectories(work.resolve("source"));
        Path classes = Files.createDirectories(work.resolve("classes"));
        List<String> arguments =
                new ArrayList<>(List.of("-d", classes.toString(), "--module-path", modulePath()));
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Path file = sourceFolder.resolve(source.getKey());
            Files.createDirectories(file.getParent());
            arguments.add(Files.writeString(file, source.getValue()).toString());
        }
        ToolProvider compiler = ToolProvider.findFirst("javac").orElseThrow();
        if (compiler.run(System.out, System.err, arguments.toArray(String[]::new)) != 0) {
            throw new AssertionError("the sources of " + jar.getFileName() + " do not compile");
        }
        Files.createDirectories(jar.getParent());
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out);
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                entries.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                entries.write(Files.readAllBytes(file));
            }
        }
        return jar;
    }

    private String modulePath() {
        StringBuilder path = new StringBuilder(apiModule().toString());
        modulePath.forEach(jar -> path.append(java.io.File.pathSeparator).append(jar));
        return path.toString();
    }

    private static Path apiModule() {
        try {
            return Path.of(
                    ModelFamilyProvider.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
