package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.GgufValue;
import dev.varve.testkit.GgufWriter;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorData;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Commands without {@code --model}, and commands with the name of a demo model. */
class DemoModelsTest {
    private record Outcome(int status, String out, String err) {}

    @TempDir Path folder;

    private Path home;

    @BeforeEach
    void makeInstallation() throws IOException {
        home = Files.createDirectories(folder.resolve("home"));
        Files.createDirectories(home.resolve("models"));
    }

    private Outcome run(String... arguments) {
        return run(Map.of(), arguments);
    }

    private Outcome run(Map<String, String> variables, String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status =
                VarveCommand.execute(
                        new Environment(variables, Optional.of(home), Set.of()),
                        new PrintWriter(out),
                        new PrintWriter(err),
                        arguments);
        return new Outcome(status, out.toString(), err.toString());
    }

    /** A whole model, so that its tokenizer works, too. */
    private Path install(String family) throws IOException {
        return Files.copy(
                Qwen35Model.tiny().write(folder),
                home.resolve("models").resolve("varve-demo-" + family + ".gguf"));
    }

    /** A file with a header, whose one matrix has {@code 32 * rows} elements. */
    private static void write(Path file, String architecture, String description, long rows)
            throws IOException {
        new GgufWriter()
                .put("general.architecture", GgufValue.of(architecture))
                .put("general.description", GgufValue.of(description))
                .put(architecture + ".context_length", GgufValue.of(4096))
                .tensor("w", TensorType.Q4_0, List.of(32L, rows), TensorData.constant(0))
                .tensor("norm", TensorType.F32, List.of(32L), TensorData.constant(1))
                .write(file);
    }

    @Test
    void withoutAModelTheDemoModelIsUsedAndAnnounced() throws IOException {
        install("qwen35");

        Outcome outcome = run("tokenize", "--text", "Hello");

        assertEquals(0, outcome.status(), outcome.toString());
        assertTrue(outcome.out().startsWith("["), outcome.toString());
        assertEquals(2, outcome.err().lines().count(), outcome.err());
        assertTrue(
                outcome.err().startsWith("varve: no --model was given: using demo:qwen35, a demo"),
                outcome.err());
        assertTrue(outcome.err().contains("varve tokenize --model model.gguf"), outcome.err());
    }

    @ParameterizedTest
    @CsvSource({
        "demo, qwen35",
        "demo:qwen35, qwen35",
        "demo:gemma4, gemma4",
        "demo:laguna, laguna"
    })
    void requestedDemoModelIsAnnouncedInOneLine(String reference, String family)
            throws IOException {
        Path file = install(family);

        Outcome outcome = run("inspect", "--model", reference, "--json");

        assertEquals(0, outcome.status(), outcome.toString());
        assertEquals(
                file.toString(),
                JsonMapper.shared().readTree(outcome.out()).get("file").asString());
        assertEquals(1, outcome.err().lines().count(), outcome.err());
        assertTrue(
                outcome.err().startsWith("varve: demo:" + family + " is a demo model with "),
                outcome.err());
    }

    @Test
    void userModelIsNotAnnounced() throws IOException {
        Path file = install("qwen35");

        assertEquals("", run("inspect", "--model", file.toString()).err());
    }

    @ParameterizedTest
    @ValueSource(strings = {"demo:", "demo:qwen", "demo:QWEN35", "demo:../qwen35"})
    void unknownDemoModelIsAUsageErrorThatNamesTheKnownOnes(String reference) {
        Outcome outcome = run("inspect", "--model", reference);

        assertEquals(2, outcome.status(), outcome.toString());
        for (String named :
                List.of(
                        "--model: ",
                        "demo:qwen35, demo:gemma4, demo:laguna",
                        "found " + reference + " (",
                        "./" + reference)) {
            assertTrue(outcome.err().contains(named), named + " in " + outcome.err());
        }
    }

    @Test
    void missingDemoModelIsNamedWithItsFile() {
        Outcome outcome = run("inspect", "--model", "demo:laguna");

        assertEquals(1, outcome.status(), outcome.toString());
        assertEquals(
                "varve: demo:laguna: the installation has no such demo model: no file "
                        + home.resolve("models/varve-demo-laguna.gguf")
                        + "\n",
                outcome.err());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "serve --port 0",
                "generate --prompt x",
                "bench",
                "plan",
                "inspect",
                "tokenize --text x",
                "logits --tokens 1 --out o"
            })
    void withoutAModelAndADemoModelAModelIsRequired(String arguments) {
        Outcome outcome = run(arguments.split(" "));

        assertEquals(2, outcome.status(), outcome.toString());
        assertTrue(
                outcome.err().startsWith("varve: --model: expected a model file, found none"),
                outcome.err());
        assertTrue(
                outcome.err().contains(home.resolve("models/varve-demo-qwen35.gguf").toString()),
                outcome.err());
        assertEquals("", outcome.out());
    }

    @Test
    void fileNamedLikeADemoModelIsReachedByItsFolder() {
        Outcome outcome = run("inspect", "--model", "./demo:qwen35");

        assertEquals(new Outcome(1, "", "varve: ./demo:qwen35: no such file\n"), outcome);
    }

    @Test
    void listShowsDemoModelsAndFolders() throws IOException {
        write(home.resolve("models/varve-demo-qwen35.gguf"), "qwen35", "Counts.\nA bit.", 100_000);
        Path models = Files.createDirectories(folder.resolve("models"));
        write(models.resolve("a.gguf"), "acme", "\u001b[2Jred", 10);
        write(models.resolve("d.gguf"), "dflash", "Guesses.", 10);

        Outcome outcome = run("models", "--models", models.toString());

        assertEquals(0, outcome.status(), outcome.toString());
        assertEquals("", outcome.err());
        assertFalse(outcome.out().contains("\u001b"), "no terminal codes from a file");
        List<String> lines = outcome.out().lines().toList();
        assertEquals("Demo models in " + home.resolve("models") + ":", lines.getFirst());
        assertTrue(
                find(lines, "demo:qwen35")
                        .matches(
                                "  demo:qwen35 +qwen35 \\(no plugin\\) +3\\.2 M +1\\.7 MiB +4096"
                                        + " +q4_0 +text +Counts\\. A bit\\."),
                outcome.out());
        assertTrue(find(lines, "demo:laguna").endsWith("unusable: no such file"));
        assertTrue(find(lines, "a.gguf").contains(" 352 "), outcome.out());
        assertTrue(find(lines, "d.gguf").contains(" dflash (for --draft) "), outcome.out());
    }

    @Test
    void damagedFileIsListedWithTheReason() throws IOException {
        Path models = Files.createDirectories(folder.resolve("models"));
        write(models.resolve("good.gguf"), "acme", "fine", 10);
        byte[] whole = Files.readAllBytes(models.resolve("good.gguf"));
        Files.write(models.resolve("cut.gguf"), java.util.Arrays.copyOf(whole, whole.length / 2));
        Files.writeString(models.resolve("text.gguf"), "no model");
        Files.createDirectories(models.resolve("folder.gguf"));
        Files.createSymbolicLink(models.resolve("lost.gguf"), models.resolve("nowhere"));
        new GgufWriter()
                .put("general.architecture", GgufValue.of("acme"))
                .put("acme.context_length", GgufValue.of("long"))
                .tensor("w", TensorType.F32, List.of(32L, 4L), TensorData.constant(1))
                .write(models.resolve("wrong.gguf"));
        new GgufWriter()
                .put("general.architecture", GgufValue.of("acme"))
                .write(models.resolve("bare.gguf"));
        Files.writeString(models.resolve("notes.txt"), "not listed");

        Outcome outcome = run("models", "--models", models.toString());

        assertEquals(0, outcome.status(), outcome.toString());
        List<String> lines = outcome.out().lines().toList();
        assertTrue(find(lines, "good.gguf").endsWith("fine"), outcome.out());
        for (String bad : List.of("cut", "text", "folder", "lost", "wrong", "bare")) {
            assertTrue(find(lines, bad + ".gguf").contains("unusable: "), outcome.out());
        }
        assertTrue(find(lines, "wrong.gguf").contains("acme.context_length"), outcome.out());
        assertTrue(
                find(lines, "bare.gguf")
                        .endsWith("GGUF file without tensors; use the model's own file"),
                outcome.out());
        assertFalse(outcome.out().contains("notes.txt"), outcome.out());
    }

    @Test
    void splitModelIsListedOnceAndAMissingPartIsTheReason() throws IOException {
        Path models = Files.createDirectories(folder.resolve("models"));
        GgufWriter writer =
                new GgufWriter()
                        .put("general.architecture", GgufValue.of("acme"))
                        .tensor("a", TensorType.F32, List.of(32L, 4L), TensorData.constant(0))
                        .tensor("b", TensorType.F32, List.of(32L, 4L), TensorData.constant(0));
        writer.writeSplit(models, "whole", 2);
        Files.delete(writer.writeSplit(models, "part", 2).getFirst());

        JsonNode listed = json(run("models", "--models", models.toString(), "--json"));

        List<JsonNode> found =
                listed.valueStream().filter(entry -> !entry.get("demo").asBoolean()).toList();
        assertEquals(2, found.size(), listed.toString());
        assertTrue(found.getFirst().get("file").asString().endsWith("part-00002-of-00002.gguf"));
        assertTrue(found.getFirst().get("reason").asString().contains("part-00001-of-00002.gguf"));
        assertEquals(256, found.getLast().get("parameters").asLong());
        assertEquals(sizes(models, "whole"), found.getLast().get("file_bytes").asLong());
        assertFalse(found.getLast().has("context_length"), "what the file does not say");
    }

    @Test
    void listIsAvailableAsJson() throws IOException {
        Path file = home.resolve("models/varve-demo-gemma4.gguf");
        write(file, "gemma4", "Chats.", 1000);

        JsonNode listed = json(run("models", "--json"));

        assertEquals(
                List.of("demo:qwen35", "demo:gemma4", "demo:laguna"),
                listed.valueStream().map(entry -> entry.get("name").asString()).toList());
        JsonNode gemma = listed.get(1);
        assertEquals(file.toString(), gemma.get("file").asString());
        assertEquals("gemma4", gemma.get("architecture").asString());
        assertEquals(32_032, gemma.get("parameters").asLong());
        assertEquals(Files.size(file), gemma.get("file_bytes").asLong());
        assertEquals(4096, gemma.get("context_length").asLong());
        assertEquals("q4_0", gemma.get("quantisation").asString());
        assertEquals("Chats.", gemma.get("description").asString());
        assertTrue(gemma.get("usable").asBoolean());
        assertFalse(listed.get(0).get("usable").asBoolean());
    }

    @Test
    void demoModelWithAProjectorIsListedAsReadingImages() throws IOException {
        write(home.resolve("models/varve-demo-qwen35.gguf"), "qwen35", "Sees.", 1000);
        write(home.resolve("models/varve-demo-qwen35-mmproj.gguf"), "clip", "Eyes.", 10);
        write(home.resolve("models/varve-demo-gemma4.gguf"), "gemma4", "Chats.", 1000);

        JsonNode listed = json(run("models", "--json"));
        List<String> lines = run("models").out().lines().toList();

        assertTrue(listed.get(0).get("images").asBoolean());
        assertFalse(listed.get(1).get("images").asBoolean());
        assertEquals(3, listed.size(), "a projector is no model");
        assertTrue(find(lines, "demo:qwen35").contains(" text, images "), lines.toString());
        assertFalse(find(lines, "demo:gemma4").contains("images"), lines.toString());
    }

    @Test
    void modelFolderVariableOfShardsIsUsedHereToo() throws IOException {
        Path models = Files.createDirectories(folder.resolve("models"));
        write(models.resolve("mine.gguf"), "acme", "", 1);

        Outcome outcome = run(Map.of("VARVE_MODELS", models.toString()), "models");

        assertTrue(outcome.out().contains("mine.gguf"), outcome.toString());
    }

    @Test
    void missingFolderIsNamed() {
        Outcome outcome = run("models", "--models", "no-such-folder");

        assertEquals(1, outcome.status(), outcome.toString());
        assertEquals("varve: --models: no-such-folder: no such folder\n", outcome.err());
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "999, 999",
        "1000, 1.0 k",
        "3_149_999, 3.1 M",
        "99_940_000, 99.9 M",
        "99_960_000, 100 M",
        "999_600_000, 1.0 B",
        "27_000_000_000, 27.0 B",
        "671_000_000_000, 671 B"
    })
    void parameterCountsHaveHumanUnits(String parameters, String expected) {
        assertEquals(expected, ModelSummary.count(Long.parseLong(parameters.replace("_", ""))));
    }

    @Test
    void chatExampleUsesTheServerAndHidesTheKey() {
        URI server = URI.create("http://127.0.0.1:4711");

        String open = String.join("\n", CurlExample.lines(server, false));
        String locked = String.join("\n", CurlExample.lines(server, true));

        assertTrue(open.startsWith("curl http://127.0.0.1:4711/v1/chat/completions "), open);
        assertFalse(open.contains("Authorization"), open);
        assertTrue(locked.contains("-H 'Authorization: Bearer YOUR_KEY' \\\n"), locked);
    }

    private static JsonNode json(Outcome outcome) {
        assertEquals(0, outcome.status(), outcome.toString());
        return JsonMapper.shared().readTree(outcome.out());
    }

    private static String find(List<String> lines, String part) {
        return lines.stream()
                .filter(line -> line.contains(part))
                .findFirst()
                .orElseThrow(() -> new AssertionError(part + " in " + lines));
    }

    private static long sizes(Path folder, String prefix) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.getFileName().toString().startsWith(prefix))
                    .mapToLong(file -> file.toFile().length())
                    .sum();
        }
    }
}
