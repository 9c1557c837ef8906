package dev.varve.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The programs in {@code examples}, as their readers run them: from source, on the class path and
 * the module path, with the demo model.
 */
class ExamplesTest {
    private static final Path ROOT = Path.of(System.getProperty("varve.test.root"));
    private static final Path MODEL =
            ROOT.resolve("tools/demo-models/models/varve-demo-qwen35.gguf");

    /** Jars of this test alone, and the modules that have no descriptor. */
    private static final Pattern OF_TESTS =
            Pattern.compile(".*(junit|opentest4j|apiguardian|surefire|examples/target).*");

    private static final Pattern WITHOUT_DESCRIPTOR =
            Pattern.compile(".*(langchain4j|slf4j|jspecify|jtokkit|opennlp|com/fasterxml).*");

    @ParameterizedTest
    @CsvSource({
        "embedded/Chat.java, 42",
        "embedded/Stream.java, tokens",
        "embedded/Tools.java, sunny",
        "embedded/Records.java, 'Person[name=Anna, age=34]'",
        "langchain4j/Assistant.java, sunny"
    })
    void exampleRunsOnTheClassPath(String example, String expected) throws Exception {
        String output =
                run(
                        example,
                        "-cp",
                        String.join(File.pathSeparator, jars()),
                        "--enable-native-access=ALL-UNNAMED");

        assertTrue(output.contains(expected), output);
    }

    @Test
    void exampleRunsOnTheModulePath() throws Exception {
        String modules =
                jars().stream()
                        .filter(jar -> !WITHOUT_DESCRIPTOR.matcher(jar).matches())
                        .collect(Collectors.joining(File.pathSeparator));

        String output =
                run(
                        "embedded/Chat.java",
                        "-p",
                        modules,
                        "--add-modules",
                        "dev.varve.embedded",
                        "--enable-native-access=dev.varve.ggml");

        assertTrue(output.contains("42"), output);
    }

    @ParameterizedTest
    @CsvSource({"Chat", "Records"})
    void shortExamplesHaveTenLinesAtMost(String name) throws IOException {
        long lines =
                Files.readAllLines(ROOT.resolve("examples/embedded/" + name + ".java")).stream()
                        .filter(line -> !line.isBlank())
                        .count();

        assertTrue(lines <= 10, name + " has " + lines);
    }

    private static List<String> jars() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(jar -> !OF_TESTS.matcher(jar).matches())
                .toList();
    }

    private static String run(String example, String... options) throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of(Path.of(System.getProperty("java.home"), "bin/java").toString()));
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of(options));
        command.add(ROOT.resolve("examples").resolve(example).toString());
        command.add(MODEL.toString());
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment()
                .put("VARVE_CACHE", Path.of("target", "varve-cache").toAbsolutePath().toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(process.waitFor(180, TimeUnit.SECONDS), output);
        assertEquals(0, process.exitValue(), output);
        return output;
    }
}
