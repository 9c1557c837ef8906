package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The documentation and libraries that the installation contains for plugin authors. */
class PluginKitIT {
    /** A source file that the guide prints: a name in bold, and the code. */
    private static final Pattern PRINTED =
            Pattern.compile(
                    "\\*\\*`([^`]+\\.java)`\\*\\*\\n\\n```java\\n(.*?)```\\n", Pattern.DOTALL);

    @TempDir Path folder;

    @Test
    void documentationDescribesEveryApiPackage() throws IOException {
        Path documentation = Varve.INSTALLATION.resolve("docs/api");

        String packages = Files.readString(documentation.resolve("element-list"));

        assertEquals(
                List.of(
                        "module:dev.varve.api",
                        "dev.varve.api.backend",
                        "dev.varve.api.event",
                        "dev.varve.api.model",
                        "dev.varve.api.plugin",
                        "dev.varve.api.snapshot",
                        "dev.varve.api.speculation",
                        "dev.varve.api.telemetry",
                        "dev.varve.api.transport",
                        "dev.varve.api.vision",
                        "module:dev.varve.error",
                        "dev.varve.api",
                        "module:dev.varve.ggml",
                        "dev.varve.api.ggml",
                        "dev.varve.api.nativecall",
                        "module:dev.varve.gguf",
                        "dev.varve.api.gguf"),
                packages.lines().toList());
        assertTrue(Files.isRegularFile(documentation.resolve("index.html")));
        assertTrue(
                Files.readString(
                                documentation.resolve(
                                        "dev.varve.api/dev/varve/api/model/ModelFamilyProvider.html"))
                        .contains("general.architecture"));
    }

    @Test
    void guideCodeCompilesAgainstTheInstallationAndJUnit() throws IOException {
        List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "-Xlint:all",
                                "-Werror",
                                "-proc:none",
                                "-d",
                                folder.resolve("classes").toString(),
                                "-cp",
                                classPath()));
        List<String> sources = sources();
        arguments.addAll(sources);
        StringWriter out = new StringWriter();

        int status =
                ToolProvider.findFirst("javac")
                        .orElseThrow()
                        .run(
                                new PrintWriter(out),
                                new PrintWriter(out),
                                arguments.toArray(String[]::new));

        assertEquals(0, status, out.toString());
        assertTrue(
                sources.stream().anyMatch(source -> source.endsWith("ContractTest.java")),
                sources.toString());
    }

    /** The guide's files but for the module's descriptor, since JUnit is on the class path. */
    private List<String> sources() throws IOException {
        String guide = Files.readString(Varve.INSTALLATION.resolve("docs/plugin-guide.md"));
        List<String> sources = new ArrayList<>();
        for (MatchResult printed : PRINTED.matcher(guide).results().toList()) {
            Path source = folder.resolve(printed.group(1));
            if (!source.endsWith("module-info.java")) {
                Files.createDirectories(source.getParent());
                sources.add(Files.writeString(source, printed.group(2)).toString());
            }
        }
        return sources;
    }

    private static String classPath() throws IOException {
        try (Stream<Path> api = Files.list(Varve.INSTALLATION.resolve("lib"));
                Stream<Path> kit = Files.list(Varve.INSTALLATION.resolve("testkit"))) {
            Stream<String> ours =
                    Stream.concat(
                                    api.filter(
                                            jar ->
                                                    jar.getFileName()
                                                            .toString()
                                                            .matches(
                                                                    "varve-(api|error|ggml|gguf)-.*")),
                                    kit)
                            .map(Path::toString);
            Stream<String> junit =
                    Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                            .filter(
                                    entry ->
                                            entry.contains("junit")
                                                    || entry.contains("apiguardian")
                                                    || entry.contains("opentest4j"));
            return Stream.concat(ours, junit).collect(Collectors.joining(File.pathSeparator));
        }
    }

    @Test
    void pluginKitIsNotOnTheServerModulePath() throws IOException {
        try (Stream<Path> files = Files.list(Varve.INSTALLATION.resolve("lib"))) {
            assertTrue(
                    files.noneMatch(
                            file ->
                                    file.toString().contains("contracts")
                                            || file.toString().contains("junit")));
        }
    }
}
