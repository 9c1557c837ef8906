package dev.varve.platform.plugin;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ModelFamilyProvider;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Compiles a module from sources in the test and packs it. */
final class PluginJar {
    /** Classes of sources that need the API alone: to compile them takes 0.1 s. */
    private static final Map<Map<String, String>, Map<String, byte[]>> COMPILED =
            new ConcurrentHashMap<>();

    private final Map<String, String> sources = new LinkedHashMap<>();
    private final Map<String, String> resources = new LinkedHashMap<>();
    private final List<Path> modulePath = new ArrayList<>();

    /** Adds a source by its path, such as {@code acme/Family.java}. */
    PluginJar source(String path, String text) {
        sources.put(path, text);
        return this;
    }

    /** Adds a file that is packed as it is, such as {@code META-INF/MANIFEST.MF}. */
    PluginJar resource(String path, String text) {
        resources.put(path, text);
        return this;
    }

    /** Adds a jar to the path of the compiler. */
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

    /** A plugin without a module descriptor, whose family's constructor runs {@code statement}. */
    static PluginJar automatic(String packageName, String architecture, String statement) {
        return new PluginJar()
                .source(
                        packageName.replace('.', '/') + "/Family.java",
                        familySource(packageName, architecture, statement))
                .resource(
                        "META-INF/services/" + ModelFamilyProvider.class.getName(),
                        packageName + ".Family\n");
    }

    /**
     * A plugin with one family.
     *
     * @param methods bodies of {@code architectures()} and {@code open}
     */
    static PluginJar family(String module, Methods methods) {
        return family(module, "unused", "")
                .source(
                        module.replace('.', '/') + "/Family.java",
                        familySource(module, "", methods));
    }

    /** Bodies of a family's methods. */
    record Methods(String architectures, String open) {}

    static String familySource(String packageName, String architecture, String statement) {
        return familySource(
                packageName,
                statement,
                new Methods(
                        "return Set.of(\"" + architecture + "\");",
                        "throw new UnsupportedOperationException();"));
    }

    private static String familySource(String packageName, String statement, Methods methods) {
        return String.format(
                Locale.ROOT,
                """
                package %s;

                import dev.varve.api.gguf.GgufFile;
                import dev.varve.api.model.*;
                import java.util.*;

                public final class Family implements ModelFamilyProvider {
                    public Family() {
                        %s
                    }

                    @Override
                    public Set<String> architectures() {
                        %s
                    }

                    @Override
                    public LayerSplitAdapter open(GgufFile model, ModelOptions options) {
                        %s
                    }
                }
                """,
                packageName,
                statement,
                methods.architectures(),
                methods.open());
    }

    /** Compiles and packs; {@code work} must be empty. */
    Path pack(Path work, Path jar) throws IOException {
        Map<String, byte[]> content = new TreeMap<>(classes(work, jar));
        for (Map.Entry<String, String> resource : resources.entrySet()) {
            content.put(resource.getKey(), resource.getValue().getBytes(StandardCharsets.UTF_8));
        }
        Files.createDirectories(jar.getParent());
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out)) {
            for (Map.Entry<String, byte[]> file : content.entrySet()) {
                entries.putNextEntry(new JarEntry(file.getKey()));
                entries.write(file.getValue());
            }
        }
        return jar;
    }

    private Map<String, byte[]> classes(Path work, Path jar) throws IOException {
        if (!modulePath.isEmpty()) {
            return compiled(work, jar);
        }
        Map<String, byte[]> known = COMPILED.get(sources);
        if (known == null) {
            known = compiled(work, jar);
            COMPILED.put(Map.copyOf(sources), known);
        }
        return known;
    }

    private Map<String, byte[]> compiled(Path work, Path jar) throws IOException {
        Path sourceFolder = Files.createDirectories(work.resolve("source"));
        Path classes = Files.createDirectories(work.resolve("classes"));
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "-d",
                                classes.toString(),
                                sources.containsKey("module-info.java")
                                        ? "--module-path"
                                        : "--class-path",
                                path()));
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Path file = sourceFolder.resolve(source.getKey());
            Files.createDirectories(file.getParent());
            arguments.add(Files.writeString(file, source.getValue()).toString());
        }
        ToolProvider compiler = ToolProvider.findFirst("javac").orElseThrow();
        if (compiler.run(System.out, System.err, arguments.toArray(String[]::new)) != 0) {
            throw new AssertionError("the sources of " + jar.getFileName() + " do not compile");
        }
        Map<String, byte[]> content = new TreeMap<>();
        try (Stream<Path> files = Files.walk(classes)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                content.put(classes.relativize(file).toString(), Files.readAllBytes(file));
            }
        }
        return content;
    }

    private String path() {
        return Stream.concat(
                        Stream.of(
                                        ModelFamilyProvider.class,
                                        VarveException.class,
                                        GgmlLibrary.class,
                                        GgufFile.class)
                                .map(PluginJar::codeOf),
                        modulePath.stream())
                .map(Path::toString)
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static Path codeOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
