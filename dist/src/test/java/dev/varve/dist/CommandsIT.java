package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.testkit.ByDay;
import dev.varve.testkit.Comparison;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.Oracle;
import dev.varve.testkit.OracleOptions;
import dev.varve.testkit.Qwen35Model;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The commands of the assembled installation, with libllama as the judge. */
class CommandsIT {
    private static final JsonMapper JSON = new JsonMapper();

    @TempDir static Path folder;

    private static Varve varve;
    private static Qwen35Model spec;
    private static Path model;
    private static int[] prompt;
    private static String promptList;

    @BeforeAll
    static void writeModel() throws Exception {
        varve = new Varve(Varve.INSTALLATION, folder);
        spec = Qwen35Model.odd(2).withType(TensorType.Q8_0);
        model = spec.write(folder);
        prompt = spec.randomTokens(40, 1);
        promptList =
                Arrays.stream(prompt).mapToObj(Integer::toString).collect(Collectors.joining(","));
    }

    @Test
    void generateMatchesLibllama() throws Exception {
        int[] expected;
        try (Oracle oracle = Oracle.open(model, OracleOptions.defaults().withThreads(2))) {
            expected = oracle.greedy(prompt, 32);
        }

        Varve.Outcome outcome =
                varve.run(
                        "generate",
                        "--model",
                        model,
                        "--tokens",
                        promptList,
                        "--max-tokens",
                        32,
                        "--temperature",
                        0,
                        "--ignore-eos",
                        "--threads",
                        2,
                        "--json");

        assertEquals(0, outcome.status(), outcome.toString());
        JsonNode answer = JSON.readTree(outcome.out());
        assertArrayEquals(expected, ids(answer.get("tokens")));
        assertArrayEquals(prompt, ids(answer.get("prompt_tokens")));
        assertEquals("length", answer.get("finish_reason").stringValue());
        assertTrue(answer.get("text").isString());
        for (String time :
                new String[] {
                    "load_ms",
                    "prefill_ms",
                    "prefill_tokens_per_second",
                    "decode_ms",
                    "decode_tokens_per_second"
                }) {
            assertTrue(answer.at("/timings/" + time).doubleValue() > 0, time);
        }
    }

    @Test
    @Tag("nightly")
    void generateIntoAPipePrintsTheTextOnly() throws Exception {
        Varve.Outcome outcome =
                varve.run(
                        "generate",
                        "--model",
                        model,
                        "--prompt",
                        "Hi",
                        "--max-tokens",
                        8,
                        "--temperature",
                        0);

        assertEquals(0, outcome.status(), outcome.toString());
        assertFalse(outcome.out().isBlank());
        assertFalse(
                outcome.out().contains("\u001b") || outcome.err().contains("\u001b"),
                "no terminal codes");
    }

    @Test
    void logitsMatchLibllama() throws Exception {
        Path out = folder.resolve("logits.f32");
        float[][] expected;
        try (Oracle oracle = Oracle.open(model, OracleOptions.defaults().withThreads(2))) {
            expected = oracle.logits(prompt);
        }

        Varve.Outcome outcome =
                varve.run(
                        "logits",
                        "--model",
                        model,
                        "--tokens",
                        promptList,
                        "--out",
                        out,
                        "--threads",
                        2);

        assertEquals(0, outcome.status(), outcome.toString());
        ByteBuffer rows = ByteBuffer.wrap(Files.readAllBytes(out)).order(ByteOrder.LITTLE_ENDIAN);
        assertEquals(4L * prompt.length * expected[0].length, rows.capacity());
        for (float[] row : expected) {
            float[] actual = new float[row.length];
            for (int i = 0; i < actual.length; i++) {
                actual[i] = rows.getFloat();
            }
            assertTrue(Comparison.relativeL2(row, actual) <= 1e-3);
        }
    }

    @Test
    void tokenizeMatchesLibllama() throws Exception {
        String text = "Hello <|im_end|> wörld 123";
        try (Oracle oracle = Oracle.open(model, OracleOptions.defaults())) {
            for (boolean special : new boolean[] {false, true}) {
                Varve.Outcome outcome =
                        special
                                ? varve.run(
                                        "tokenize",
                                        "--model",
                                        model,
                                        "--text",
                                        text,
                                        "--parse-special")
                                : varve.run("tokenize", "--model", model, "--text", text);

                assertArrayEquals(
                        oracle.tokenize(text, false, special), ids(JSON.readTree(outcome.out())));
            }
        }
    }

    @Test
    void benchReportsBothRates() throws Exception {
        Varve.Outcome outcome =
                varve.run("bench", "--model", model, "-p", 64, "-n", 8, "-r", 2, "--json");

        JsonNode rates = JSON.readTree(outcome.out());
        assertTrue(
                rates.get("pp").doubleValue() > 0 && rates.get("tg").doubleValue() > 0,
                outcome.toString());
    }

    @Test
    @Tag("nightly")
    void benchReportsTheGainOfDraftTokens() throws Exception {
        Varve.Outcome outcome =
                varve.run(
                        "bench",
                        "--model",
                        model,
                        "--draft",
                        "ngram",
                        "-p",
                        0,
                        "-n",
                        16,
                        "-r",
                        3,
                        "--at-once",
                        2,
                        "--json");

        assertEquals(0, outcome.status(), outcome.toString());
        JsonNode rates = JSON.readTree(outcome.out());
        double low = rates.get("speedup_interval").get(0).doubleValue();
        double high = rates.get("speedup_interval").get(1).doubleValue();
        double speedup = rates.get("speedup").doubleValue();
        assertTrue(0 < low && low <= speedup && speedup <= high, outcome.out());
        assertTrue(rates.get("tg").doubleValue() > 0, outcome.out());
        assertTrue(rates.get("tg_speculative").doubleValue() > 0, outcome.out());
        assertTrue(rates.has("acceptance_length"), outcome.out());
        assertEquals(3, rates.get("tg_runs").size());
    }

    @Test
    void benchQuestionsNeedASpeculator() throws Exception {
        Varve.Outcome outcome = varve.run("bench", "--model", model, "--at-once", 2);

        assertEquals(2, outcome.status(), outcome.toString());
        assertTrue(outcome.err().contains("--at-once: needs --draft"), outcome.err());
    }

    @Test
    @Tag("nightly")
    void plansReportTheGainOfDraftTokens() throws Exception {
        Varve.Outcome outcome =
                varve.run("plan", "--model", model, "--draft", "ngram", "--draft-max", 7, "--json");

        assertEquals(0, outcome.status(), outcome.toString());
        JsonNode draft = JSON.readTree(outcome.out()).get("draft");
        assertEquals("ngram", draft.get("source").asString());
        assertEquals(8, draft.get("step_tokens").asInt());
        assertEquals(0, draft.get("guess_ms").doubleValue());
        double least = draft.get("break_even_acceptance_length").doubleValue();
        assertTrue(0.5 < least && least < 20, outcome.out());
    }

    @Test
    @Tag("nightly")
    void plansReportTheKvFlashPool() throws Exception {
        Varve.Outcome outcome =
                varve.run(
                        "plan",
                        "--model",
                        "demo:qwen35",
                        "--max-ctx",
                        2048,
                        "--parallel",
                        2,
                        "--kvflash",
                        600,
                        "--json");

        assertEquals(0, outcome.status(), outcome.toString());
        JsonNode plan = JSON.readTree(outcome.out());
        JsonNode bounded = plan.get("kvflash");
        assertEquals(768, bounded.get("pool_tokens").asInt());
        assertEquals(2048, bounded.get("context_tokens").asInt());
        assertEquals("qk", bounded.get("policy").asString());
        assertEquals(64, bounded.get("tau").asInt());
        long perToken = plan.at("/shards/0/kv_bytes").asLong() / (2 * 768);
        assertEquals(2 * (2048 - 768) * perToken, bounded.get("host_bytes").asLong());
    }

    @Test
    @Tag("nightly")
    void plansReportTheDrafterMemory() throws Exception {
        Varve.Outcome outcome =
                varve.run(
                        "plan",
                        "--model",
                        "demo:qwen35",
                        "--prefill-drafter",
                        "demo:drafter",
                        "--max-ctx",
                        2048,
                        "--json");

        assertEquals(0, outcome.status(), outcome.toString());
        JsonNode drafter = JSON.readTree(outcome.out()).get("drafter");
        assertEquals("cpu:0", drafter.get("device").asString());
        assertEquals(2048, drafter.get("prompt_tokens").asInt());
        long file = Files.size(Varve.INSTALLATION.resolve("models/varve-demo-drafter.gguf"));
        long weights = drafter.get("weight_bytes").asLong();
        assertTrue(weights > file / 2 && weights <= file, outcome.out());
        assertTrue(drafter.get("reading_bytes").asLong() > 2048 * 128, outcome.out());
    }

    @Test
    @Tag("nightly")
    void environmentVariablesReplaceTheKvFlashFlags() throws Exception {
        Varve.Outcome outcome =
                varve.with("DFLASH_KVFLASH", "600")
                        .with("DFLASH_KVFLASH_POLICY", "fifo")
                        .with("DFLASH_KVFLASH_TAU", "0")
                        .run("generate", "--model", "demo:qwen35", "--prompt", "Hi", "-n", 2);

        assertEquals(0, outcome.status(), outcome.toString());
        for (String expected :
                new String[] {
                    " WARN  DFLASH_KVFLASH_POLICY: ",
                    " WARN  DFLASH_KVFLASH_TAU: ",
                    " INFO  --kvflash: resident pool 768 tokens per sequence (of up"
                            + " to 8192), tau=1, policy=qk; "
                }) {
            assertTrue(outcome.err().contains(expected), outcome.err());
        }
    }

    @Test
    @Tag("nightly")
    void demoModelHasADrafterForItsPages() throws Exception {
        Varve.Outcome outcome =
                varve.with("DFLASH_KVFLASH_POLICY", "drafter")
                        .run(
                                "generate",
                                "--model",
                                "demo:qwen35",
                                "--kvflash",
                                "512",
                                "--prompt",
                                "Hi",
                                "-n",
                                2);

        assertEquals(0, outcome.status(), outcome.toString());
        assertTrue(outcome.err().contains("policy=drafter; "), outcome.err());
        assertTrue(
                outcome.err().contains("prefill drafter varve-demo-drafter.gguf"), outcome.err());
    }

    @Test
    void renderPrintsThePromptOfAGoldenTemplate() throws Exception {
        Path template =
                Path.of(
                        System.getProperty("varve.test.shared", ""),
                        "golden",
                        "chat",
                        "Qwen3.5-4B.jinja");
        assumeTrue(Files.exists(template), "no golden template " + template);
        Path input =
                Files.writeString(
                        folder.resolve("chat.json"),
                        "{\"messages\": [{\"role\": \"user\", \"content\": \"Hi\"}],"
                                + " \"add_generation_prompt\": true}");

        Varve.Outcome outcome = varve.run("render", "--template", template, "--input", input);

        assertEquals(
                "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\n", outcome.out());
    }

    @Test
    void everyBackendIsListedWithItsDevicesOrAReason() throws Exception {
        Varve.Outcome outcome = varve.run("devices", "--json");

        assertEquals(0, outcome.status(), outcome.toString());
        Set<String> backends = new TreeSet<>();
        for (JsonNode listed : JSON.readTree(outcome.out())) {
            backends.add(listed.get("backend").asString());
            assertEquals("0.25.1", listed.get("ggml_version").asString());
            if (listed.get("available").asBoolean()) {
                assertTrue(listed.get("memory_total_bytes").asLong() > 0, listed.toString());
            } else {
                assertFalse(listed.get("reason").asString().isBlank(), listed.toString());
            }
        }
        assertTrue(backends.containsAll(Set.of("cpu", "hip", "vulkan")), outcome.out());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "serve",
                "generate",
                "bench",
                "devices",
                "models",
                "plugins",
                "inspect",
                "tokenize",
                "render",
                "logits"
            })
    @ByDay(3)
    void everyCommandHasHelp(String command) throws Exception {
        Varve.Outcome outcome = varve.run(command, "--help");

        assertEquals(0, outcome.status(), outcome.toString());
        assertTrue(outcome.out().startsWith("Usage: varve " + command), outcome.out());
    }

    @Test
    @Tag("nightly")
    void extraLayersInTheFileCauseAWarning() throws Exception {
        Path cut = folder.resolve("cut.gguf");
        spec.writer().put("qwen35.block_count", GgufValue.of(2)).write(cut);

        Varve.Outcome plan = varve.run("plan", "--model", cut);
        Varve.Outcome inspect = varve.run("inspect", "--model", cut);

        assertEquals(0, plan.status(), plan.toString());
        String warning = "not used by this model of 1 layer; if qwen35.block_count is right";
        assertTrue(plan.err().contains(" warning ") && plan.err().contains(warning), plan.err());
        assertTrue(inspect.out().contains(warning), inspect.out());
    }

    @Test
    void damagedModelsFailWithOneLine() throws Exception {
        byte[] good = Files.readAllBytes(model);
        byte[] wrongMagic = good.clone();
        wrongMagic[0] = 'X';
        byte[] absurdCount = good.clone();
        Arrays.fill(absurdCount, 8, 15, (byte) 0xFF);
        expectFailure(wrongMagic, "magic: expected GGUF, found XGUF");
        expectFailure(absurdCount, "number of tensors");
        expectFailure(Arrays.copyOf(good, good.length / 2), "bytes");
        expectFailure(
                replace(good, "blk.0.ffn_up.weight", "blk.0.ffn_xx.weight"), "blk.0.ffn_up.weight");
        expectFailure(replace(good, "qwen35", "qwenXX"), "qwenXX");
    }

    private static void expectFailure(byte[] content, String named) throws Exception {
        Path file = Files.write(folder.resolve("damaged.gguf"), content);

        Varve.Outcome outcome = varve.run("generate", "--model", file, "--prompt", "x");

        assertEquals(1, outcome.status(), outcome.toString());
        assertTrue(
                outcome.err().startsWith("varve: ") && outcome.err().contains(named),
                outcome.err());
        assertEquals(1, outcome.err().lines().count(), outcome.err());
    }

    /** Puts another text of the same length in the place of the first occurrence. */
    private static byte[] replace(byte[] content, String from, String to) {
        String bytes = new String(content, java.nio.charset.StandardCharsets.ISO_8859_1);
        return bytes.replaceFirst(java.util.regex.Pattern.quote(from), to)
                .getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
    }

    private static int[] ids(JsonNode array) {
        int[] ids = new int[array.size()];
        for (int i = 0; i < ids.length; i++) {
            ids[i] = array.get(i).intValue();
        }
        return ids;
    }
}
