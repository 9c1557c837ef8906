package dev.varve.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.tools.ToolProvider;

/**
 * The programs in {@code examples} with the demo model: compiled and run in this process, on the
 * class path, and one from source in a process of its own, on the module path.
 */
class ExamplesTest {
    private static final Path ROOT = Path.of(System.getProperty("varve.test.root"));
    private static final Path EXAMPLES = ROOT.resolve("examples");
    private static final Path MODEL =
            ROOT.resolve("tools/demo-models/models/varve-demo-qwen35.gguf");

    /** Jars of this test alone, and jars that are no modules. */
    private static final Pattern NO_MODULE =
            Pattern.compile(
                    ".*(junit|opentest4j|apiguardian|surefire|examples/target|langchain4j|slf4j"
                            + "|jspecify).*");

    @TempDir static Path classes;

    @BeforeAll
    static void compile() throws IOException {
        List<String> arguments = new ArrayList<>(List.of("-d", classes.toString()));
        arguments.addAll(List.of("-cp", System.getProperty("java.class.path"), "-proc:none"));
        for (String folder : List.of("embedded", "langchain4j")) {
            try (Stream<Path> files = Files.list(EXAMPLES.resolve(folder))) {
                files.map(Path::toString).forEach(arguments::add);
            }
        }
        ByteArrayOutputStream output = new ByteArrayOutputStream();

        int status =
                ToolProvider.getSystemJavaCompiler()
                        .run(null, output, output, arguments.toArray(String[]::new));

        assertEquals(0, status, output.toString(StandardCharsets.UTF_8));
    }

    @ParameterizedTest
    @CsvSource({
        "Chat, 42",
        "Stream, tokens",
        "Tools, sunny",
        "Records, 'Person[name=Anna, age=34]'",
        "Assistant, sunny"
    })
    void exampleRunsOnTheClassPath(String name, String expected) throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        try (URLClassLoader loader =
                new URLClassLoader(
                        new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
            System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
            run(loader.loadClass(name));
        } finally {
            System.setOut(before);
        }

        String text = output.toString(StandardCharsets.UTF_8);
        assertTrue(text.contains(expected), text);
    }

    /** A program without a class declaration is an instance, whose members are not public. */
    private static void run(Class<?> program) throws ReflectiveOperationException {
        Constructor<?> constructor = program.getDeclaredConstructor();
        Method main = program.getDeclaredMethod("main", String[].class);
        constructor.setAccessible(true);
        main.setAccessible(true);
        main.invoke(constructor.newInstance(), (Object) new String[] {MODEL.toString()});
    }

    @Test
    void exampleRunsFromSourceOnTheModulePath() throws Exception {
        String modules =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(jar -> !NO_MODULE.matcher(jar).matches())
                        .collect(Collectors.joining(File.pathSeparator));
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-p",
                                modules,
                                "--add-modules",
                                "dev.varve.embedded",
                                "--enable-native-access=dev.varve.ggml",
                                EXAMPLES.resolve("embedded/Chat.java").toString(),
                                MODEL.toString())
                        .redirectErrorStream(true)
                        .start();

        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertTrue(process.waitFor(120, TimeUnit.SECONDS), output);
        assertEquals(0, process.exitValue(), output);
        assertTrue(output.contains("42"), output);
    }

    @ParameterizedTest
    @CsvSource({"Chat", "Records"})
    void shortExamplesHaveTenLinesAtMost(String name) throws IOException {
        long lines =
                Files.readAllLines(EXAMPLES.resolve("embedded/" + name + ".java")).stream()
                        .filter(line -> !line.isBlank())
                        .count();

        assertTrue(lines <= 10, name + " has " + lines);
    }
}
