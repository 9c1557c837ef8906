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
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the installation brings for whoever writes a plugin. */
class PluginKitIT {
    private static final String TEST =
            """
            package acme;

            import dev.varve.api.gguf.GgufFile;
            import dev.varve.api.model.LayerSplitAdapter;
            import dev.varve.api.model.ModelFamilyProvider;
            import dev.varve.api.model.ModelOptions;
            import dev.varve.contracts.ModelFamilyContract;
            import dev.varve.testkit.Qwen35Model;
            import java.io.IOException;
            import java.nio.file.Path;
            import java.util.List;
            import java.util.Set;

            class AcmeContractTest extends ModelFamilyContract {
                static final class Acme implements ModelFamilyProvider {
                    @Override
                    public Set<String> architectures() {
                        return Set.of("acme");
                    }

                    @Override
                    public LayerSplitAdapter open(GgufFile file, ModelOptions options) {
                        throw new UnsupportedOperationException();
                    }
                }

                @Override
                protected ModelFamilyProvider provider() {
                    return new Acme();
                }

                @Override
                protected List<Path> models(Path folder) throws IOException {
                    return List.of(Qwen35Model.tiny().write(folder));
                }
            }
            """;

    @TempDir Path folder;

    @Test
    void theDocumentationDescribesEveryPackageOfTheApi() throws IOException {
        Path documentation = Varve.INSTALLATION.resolve("doc/api");

        String packages = Files.readString(documentation.resolve("element-list"));

        assertEquals(
                List.of(
                        "module:dev.varve.api",
                        "dev.varve.api",
                        "dev.varve.api.backend",
                        "dev.varve.api.ggml",
                        "dev.varve.api.gguf",
                        "dev.varve.api.model",
                        "dev.varve.api.nativecall",
                        "dev.varve.api.transport"),
                packages.lines().toList());
        assertTrue(Files.isRegularFile(documentation.resolve("index.html")));
        assertTrue(
                Files.readString(
                                documentation.resolve(
                                        "dev.varve.api/dev/varve/api/model/ModelFamilyProvider.html"))
                        .contains("general.architecture"));
    }

    @Test
    void aContractTestCompilesAgainstTheInstallationAndJUnitAlone() throws IOException {
        Path source = Files.writeString(folder.resolve("AcmeContractTest.java"), TEST);
        StringWriter out = new StringWriter();

        int status =
                ToolProvider.findFirst("javac")
                        .orElseThrow()
                        .run(
                                new PrintWriter(out),
                                new PrintWriter(out),
                                "-Xlint:all",
                                "-Werror",
                                "-proc:none",
                                "-d",
                                folder.resolve("classes").toString(),
                                "-cp",
                                classPath(),
                                source.toString());

        assertEquals(0, status, out.toString());
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
                                                            .startsWith("varve-api-")),
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
    void whatHelpsToWritePluginsIsNotOnTheServersModulePath() throws IOException {
        try (Stream<Path> files = Files.list(Varve.INSTALLATION.resolve("lib"))) {
            assertTrue(
                    files.noneMatch(
                            file ->
                                    file.toString().contains("contracts")
                                            || file.toString().contains("junit")));
        }
    }
}
