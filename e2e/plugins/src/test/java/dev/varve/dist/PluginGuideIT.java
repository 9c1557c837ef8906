package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.ByDay;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.Internlm2Model;
import dev.varve.testkit.Oracle;
import dev.varve.testkit.OracleOptions;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The test builds the code of the installed plugin guide with the guide's commands and runs it. */
class PluginGuideIT {
    private static final Path GUIDE = Varve.INSTALLATION.resolve("docs/plugin-guide.md");

    /** A file's name in bold, and its code. */
    private static final Pattern SOURCE =
            Pattern.compile("\\*\\*`(src/[^`]+)`\\*\\*\\n\\n```java\\n(.*?)```\\n", Pattern.DOTALL);

    private static final Pattern COMMANDS = Pattern.compile("```sh\\n(.*?)```\\n", Pattern.DOTALL);
    private static final Pattern METHOD =
            Pattern.compile("```java ModelFamilyProvider\\n(.*?)```\\n", Pattern.DOTALL);

    /** Rounding of an F32 model between two orders of sums. */
    private static final double TOLERANCE = 1e-3;

    @TempDir static Path folder;

    private static String guide;
    private static Path installation;
    private static Varve varve;

    @BeforeAll
    static void buildAsPrinted() throws Exception {
        guide = Files.readString(GUIDE);
        installation = InstallationCopy.in(folder);
        varve = new Varve(installation, folder);
        Path work = Files.createDirectories(folder.resolve("work"));
        assertEquals(4, writeSources(work));

        String printed = shell(work, COMMANDS.matcher(guide).results().toList());

        assertTrue(
                printed.contains("acme-internlm2.jar") && printed.contains("internlm2"), printed);
    }

    private static int writeSources(Path work) throws IOException {
        List<MatchResult> sources = SOURCE.matcher(guide).results().toList();
        for (MatchResult source : sources) {
            Path file = work.resolve(source.group(1));
            Files.createDirectories(file.getParent());
            Files.writeString(file, source.group(2));
        }
        return sources.size();
    }

    private static String shell(Path work, List<MatchResult> blocks) throws Exception {
        String commands =
                blocks.stream().map(block -> block.group(1)).collect(Collectors.joining());
        Path out = Files.createTempFile(folder, "shell", ".txt");
        ProcessBuilder builder =
                new ProcessBuilder("bash", "-euc", commands)
                        .directory(work.toFile())
                        .redirectErrorStream(true)
                        .redirectOutput(out.toFile());
        String home = System.getProperty("java.home");
        builder.environment().put("VARVE", installation.toString());
        builder.environment().put("VARVE_CACHE", folder.resolve("cache").toString());
        builder.environment().put("JAVA_HOME", home);
        builder.environment()
                .put("PATH", home + "/bin:" + builder.environment().getOrDefault("PATH", ""));
        Process process = builder.start();
        assertTrue(process.waitFor(120, TimeUnit.SECONDS), "the guide's commands end");
        String printed = Files.readString(out);
        assertEquals(0, process.exitValue(), printed);
        return printed;
    }

    @ParameterizedTest
    @CsvSource({"F32, 1", "F32, 2", "Q8_0, 3"})
    @ByDay(3)
    void guideFamilyMatchesLibllama(TensorType type, long seed) throws Exception {
        Internlm2Model model =
                Internlm2Model.tiny().withWeights(new Internlm2Model.Weights(type, seed));
        Path file = model.write(folder);
        int[] prompt = model.randomTokens(700, seed);
        float[][] expected;
        Comparison.GreedyRun run;
        int[] start = Arrays.copyOf(prompt, 40);
        try (Oracle oracle = Oracle.open(file, OracleOptions.defaults().withThreads(2))) {
            expected = oracle.logits(prompt);
            run = oracle.greedyRun(start, 60);
        }

        float[][] logits = logits(file, prompt, expected[0].length);
        int[] tokens = generate(file, start);

        Comparison.assertGradeC("logits of " + model, expected, logits, tolerance(type));
        Comparison.assertGreedyGradeC(
                "tokens of " + model,
                run,
                tokens,
                IntStream.range(0, expected.length)
                        .mapToDouble(row -> Comparison.worstDifference(expected[row], logits[row]))
                        .max()
                        .orElseThrow());
        for (String split : List.of("1,3", "1,1", "3,1")) {
            assertArrayEquals(
                    tokens,
                    generate(
                            file,
                            start,
                            "--target-devices",
                            "cpu:0,cpu:0",
                            "--target-layer-split",
                            split),
                    "split " + split + " of " + model);
        }
    }

    private static double tolerance(TensorType type) {
        // Activations are rounded to eight bits in other groups.
        return type == TensorType.F32 ? TOLERANCE : 0.05;
    }

    @Test
    void missingTensorIsRefusedByName() throws Exception {
        Path file = folder.resolve("renamed.gguf");
        byte[] bytes = Files.readAllBytes(Internlm2Model.tiny().write(folder));
        byte[] name = "blk.3.ffn_norm.weight".getBytes(StandardCharsets.US_ASCII);
        int at =
                IntStream.range(0, bytes.length - name.length)
                        .filter(
                                begin ->
                                        Arrays.equals(
                                                bytes,
                                                begin,
                                                begin + name.length,
                                                name,
                                                0,
                                                name.length))
                        .findFirst()
                        .orElseThrow();
        bytes[at + name.length - 1] = 'x';
        Files.write(file, bytes);

        Varve.Outcome outcome = varve.run("generate", "--model", file, "--tokens", "1,2");

        assertEquals(1, outcome.status(), outcome.toString());
        assertTrue(outcome.err().contains("blk.3.ffn_norm.weight"), outcome.err());
    }

    @Test
    @Tag("nightly")
    void guidePreTokenizerSplitsTextsOfItsModels() throws Exception {
        Path work = Files.createDirectories(folder.resolve("with-words"));
        writeSources(work);
        Path family = work.resolve("src/acme/internlm2/Internlm2Family.java");
        String source = Files.readString(family);
        MatchResult method = METHOD.matcher(guide).results().findFirst().orElseThrow();
        int end = source.lastIndexOf('}');
        Files.writeString(family, source.substring(0, end) + method.group(1) + "}\n");
        Path named = folder.resolve("acme-words.gguf");
        Internlm2Model.tiny().writer().put("tokenizer.ggml.pre", GgufValue.of("acme")).write(named);

        Varve.Outcome before = varve.run("tokenize", "--model", named, "--text", "hello");
        shell(work, COMMANDS.matcher(guide).results().toList());
        Varve.Outcome after = varve.run("tokenize", "--model", named, "--text", "hello 12345");

        assertEquals(1, before.status(), before.toString());
        assertTrue(
                before.err().contains("tokenizer.ggml.pre: expected one of [chatglm-bpe, "),
                before.err());
        assertEquals(0, after.status(), after.toString());
        assertTrue(ids(after).length < 11, after.out());
    }

    private static int[] ids(Varve.Outcome outcome) {
        JsonMapper json = new JsonMapper();
        return json.convertValue(json.readTree(outcome.out()), int[].class);
    }

    private static int[] generate(Path file, int[] prompt, Object... more) throws Exception {
        Object[] arguments = {
            "generate",
            "--model",
            file,
            "--tokens",
            text(prompt),
            "--max-tokens",
            60,
            "--temperature",
            0,
            "--ignore-eos",
            "--threads",
            2,
            "--json"
        };
        Object[] all = Arrays.copyOf(arguments, arguments.length + more.length);
        System.arraycopy(more, 0, all, arguments.length, more.length);
        Varve.Outcome outcome = varve.run(all);
        assertEquals(0, outcome.status(), outcome.toString());
        JsonMapper json = new JsonMapper();
        return json.convertValue(json.readTree(outcome.out()).get("tokens"), int[].class);
    }

    private static float[][] logits(Path file, int[] tokens, int vocabulary) throws Exception {
        Path out = folder.resolve("logits.f32");
        Varve.Outcome outcome =
                varve.run(
                        "logits",
                        "--model",
                        file,
                        "--tokens",
                        text(tokens),
                        "--out",
                        out,
                        "--threads",
                        2);
        assertEquals(0, outcome.status(), outcome.toString());
        float[] values = new float[tokens.length * vocabulary];
        ByteBuffer.wrap(Files.readAllBytes(out))
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer()
                .get(values);
        float[][] rows = new float[tokens.length][];
        Arrays.setAll(
                rows, row -> Arrays.copyOfRange(values, row * vocabulary, (row + 1) * vocabulary));
        return rows;
    }

    private static String text(int[] tokens) {
        return IntStream.of(tokens).mapToObj(Integer::toString).collect(Collectors.joining(","));
    }
}
