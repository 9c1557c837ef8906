package dev.varve.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.EncoderModel;
import dev.varve.testkit.TensorType;
import dev.varve.testkit.WordVectorModel;

import org.junit.jupiter.api.BeforeAll;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
                            + "|jspecify|testkit).*");

    private static final int RANK = 4;
    private static final List<String> NOTES =
            List.of(
                    "The door code of the harbour is 4821. What is",
                    "The door code of the theatre is 7350.",
                    "Bread is baked on Fridays.");

    /** Files of models by the names that the cases use. */
    private static final Map<String, Path> MODELS = new HashMap<>();

    @TempDir static Path classes;
    @TempDir static Path folder;

    @BeforeAll
    static void writeModels() throws IOException {
        MODELS.put("CHAT", MODEL);
        MODELS.put("WORDS", WordVectorModel.ofTexts(NOTES).write(folder));
        MODELS.put(
                "RANKING",
                new EncoderModel(EncoderModel.Kind.BERT, 3, TensorType.F32, RANK, true)
                        .write(folder));
    }

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
        "Chat, CHAT, 42",
        "Stream, CHAT, tokens",
        "Tools, CHAT, sunny",
        "Records, CHAT, 'Person[name=Anna, age=34]'",
        "Search, WORDS, The door code of the harbour is 4821.",
        "Rank, RANKING, Fridays",
        "Assistant, CHAT, sunny",
        "Notes, CHAT WORDS, 4821"
    })
    void exampleRunsOnTheClassPath(String name, String models, String expected) throws Exception {
        PrintStream before = System.out;
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        try (URLClassLoader loader =
                new URLClassLoader(
                        new URL[] {classes.toUri().toURL()}, getClass().getClassLoader())) {
            System.setOut(new PrintStream(output, true, StandardCharsets.UTF_8));
            run(
                    loader.loadClass(name),
                    Arrays.stream(models.split(" "))
                            .map(MODELS::get)
                            .map(Path::toString)
                            .toArray(String[]::new));
        } finally {
            System.setOut(before);
        }

        String text = output.toString(StandardCharsets.UTF_8);
        assertTrue(text.contains(expected), text);
    }

    /** A program without a class declaration is an instance, whose members are not public. */
    private static void run(Class<?> program, String[] arguments)
            throws ReflectiveOperationException {
        Constructor<?> constructor = program.getDeclaredConstructor();
        Method main = program.getDeclaredMethod("main", String[].class);
        constructor.setAccessible(true);
        main.setAccessible(true);
        main.invoke(constructor.newInstance(), (Object) arguments);
    }

    @ParameterizedTest
    @CsvSource({"Chat, CHAT, 42", "Search, WORDS, harbour is 4821"})
    void exampleRunsFromSourceOnTheModulePath(String name, String model, String expected)
            throws Exception {
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
                                EXAMPLES.resolve("embedded/" + name + ".java").toString(),
                                MODELS.get(model).toString())
                        .redirectErrorStream(true)
                        .start();

        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertTrue(process.waitFor(120, TimeUnit.SECONDS), output);
        assertEquals(0, process.exitValue(), output);
        assertTrue(output.contains(expected), output);
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
