package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Qwen35Model;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/**
 * The programs of docs/host-api.md, as they are printed there: compiled, and run on the module path
 * with the plugins in a folder.
 */
class EmbeddingTest {
    private static final Path GUIDE =
            Path.of(System.getProperty("varve.test.root"), "docs", "host-api.md");
    private static final Pattern PROGRAM =
            Pattern.compile("^```java\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);

    @TempDir static Path folder;

    private static ShardProgram installation;
    private static Path model;
    private static String whole;

    @BeforeAll
    static void install() throws Exception {
        installation = ShardProgram.install(folder, folder, ShardProgram.Natives.PACKED);
        model = Qwen35Model.odd(3).write(folder);
        whole = run(printed(0).replace(".onDevices(\"cpu:0,cpu:0\")", ""));
    }

    /** A program of the guide, counted from 0. */
    private static String printed(int index) throws IOException {
        return PROGRAM.matcher(Files.readString(GUIDE)).results().toList().get(index).group(1);
    }

    @Test
    void firstProgramOfTheGuideHasFiveLinesAndMatchesTheWholeModel() throws Exception {
        String program = printed(0);

        String said = run(program);

        assertEquals(5, program.lines().count(), program);
        assertTrue(program.contains(".onDevices(\"cpu:0,cpu:0\")"), program);
        assertEquals(whole, said);
    }

    @Test
    @Tag("nightly")
    void secondProgramOfTheGuideStartsAProcessAndMatchesTheWholeModel() throws Exception {
        String said = run(printed(1));

        assertEquals(whole, said);
        assertEquals(
                1,
                Files.readAllLines(folder.resolve("started")).size(),
                "processes that the launcher of the settings started");
    }

    /** Compiles and runs statements, and returns what they print. */
    private static String run(String statements) throws Exception {
        Path classes = Files.createTempDirectory(folder, "program");
        Path source =
                Files.writeString(
                        classes.resolve("Program.java"),
                        """
                        import dev.varve.platform.host.*;
                        import java.nio.file.Path;

                        public class Program {
                            public static void main(String[] arguments) throws Exception {
                                Path file = Path.of(arguments[0]);
                                Path plugins = Path.of(arguments[1]);
                                Path cache = Path.of(arguments[2]);
                                Path launcher = Path.of(arguments[3]);
                        """
                                + statements
                                + "    }\n}\n");
        compile(source, classes);
        List<String> command = new ArrayList<>(installation.java());
        command.addAll(
                List.of(
                        "--add-modules",
                        "dev.varve.platform.host",
                        "-cp",
                        classes.toString(),
                        "Program",
                        model.toString(),
                        folder.resolve("plugins").toString(),
                        folder.resolve("cache").toString(),
                        launcher().toString()));
        Path errors = classes.resolve("errors");
        Process process = new ProcessBuilder(command).redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(180, TimeUnit.SECONDS), "the program does not end");
        assertEquals(0, process.exitValue(), () -> text(errors));
        return output;
    }

    private static void compile(Path source, Path classes) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter said = new StringWriter();
        boolean compiled =
                compiler.getTask(
                                said,
                                null,
                                null,
                                List.of(
                                        "--module-path",
                                        installation.modulePath(),
                                        "--add-modules",
                                        "dev.varve.platform.host",
                                        "-d",
                                        classes.toString()),
                                null,
                                compiler.getStandardFileManager(null, null, null)
                                        .getJavaFileObjects(source))
                        .call();
        assertTrue(compiled, said::toString);
    }

    /**
     * Writes a launcher that does the same as bin/varve of an installation. It also records each
     * call.
     */
    private static Path launcher() throws IOException {
        String command =
                installation.java().stream()
                        .map(word -> "'" + word + "'")
                        .collect(Collectors.joining(" "));
        Path launcher =
                Files.writeString(
                        folder.resolve("launcher"),
                        "#!/bin/sh\n"
                                + "echo \"$@\" >> '"
                                + folder.resolve("started")
                                + "'\n"
                                + "VARVE_CACHE='"
                                + folder.resolve("cache")
                                + "' exec "
                                + command
                                + " '-Dvarve.home="
                                + folder
                                + "' -m dev.varve.platform.cli/dev.varve.platform.cli.Main"
                                + " \"$@\"\n");
        return Files.setPosixFilePermissions(
                launcher, PosixFilePermissions.fromString("rwx------"));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
