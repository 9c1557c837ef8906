package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.placement.DeviceReference;
import dev.varve.testkit.GgufValue;
import dev.varve.testkit.Qwen3Model;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

class CommandLineTest {
    private record Outcome(int status, String out, String err) {}

    @TempDir Path folder;

    private Outcome run(String... arguments) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        Environment environment = new Environment(Map.of(), Optional.of(folder), Set.of());
        int status =
                VarveCommand.execute(
                        environment, new PrintWriter(out), new PrintWriter(err), arguments);
        return new Outcome(status, out.toString(), err.toString());
    }

    @Test
    void controlCharactersOfAFileDoNotReachTheTerminal() throws IOException {
        Path model = folder.resolve("hostile.gguf");
        Qwen3Model.tiny()
                .writer()
                .put("general.architecture", GgufValue.of("a\033]0;title\007b\u009b31m\nc"))
                .write(model);

        Outcome outcome = run("chat", model.toString(), "--debug");

        assertEquals(1, outcome.status(), outcome.toString());
        assertTrue(outcome.err().contains("a]0;titleb31m c"), outcome.toString());
        assertTrue(
                outcome.err()
                        .chars()
                        .noneMatch(c -> c != '\n' && c != '\t' && c < ' ' || c == 0x9B),
                outcome.toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "serve",
                "chat",
                "generate",
                "bench",
                "plan",
                "devices",
                "models",
                "plugins",
                "inspect",
                "tokenize",
                "render",
                "logits"
            })
    void everyCommandHasHelpWithAnExample(String command) {
        Outcome outcome = run(command, "--help");

        assertEquals(0, outcome.status(), outcome.toString());
        assertTrue(outcome.out().contains("Examples:\n  varve " + command), outcome.toString());
        assertTrue(run("--help").out().contains("\n  " + command), command);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "generate --model m --prompt x --tokens 1 | expected only one of them",
                "generate --model m --prompt x --chat y    | expected only one of them",
                "generate --model m                       | --tokens",
                "generate m --json                        | --tokens",
                "generate m --model n --prompt x          | --model: expected one model, found 2",
                "chat m n                                 | 'n'",
                "chat m --model n                         | --model: expected one model, found 2",
                "chat demo:x                              | expected one of the demo models",
                "chat m --max-tokens 0                    | --max-tokens: expected 1 or more",
                "chat m --temp 200                        | --temp: expected a number from 0 to",
                "chat m --reasoning-budget -1             | --reasoning-budget: expected 0 or more",
                "chat m --kv-cache-budget 1G              | --kv-cache-budget needs --kv-cache-dir",
                "chat m --prompt x                        | --prompt",
                "generate --prompt x                      | --model",
                "generate --model m --prompt x -n many    | expected a whole number, found many",
                "generate --model m --chat x --json-schema a --grammar b | --grammar, found both",
                "generate --model m --chat x --grammar b --ignore-eos    | --ignore-eos: cannot",
                "generate --model m --prompt x --cache-type-k q4_k | expected one of f16, bf16",
                "serve --model m --host 0.0.0.0           | --insecure",
                "bench --model m --model n                | --model: expected one model, found 2",
                "serve --model a=m --model a=n            | --model: two models have the name a",
                "serve --model a=demo:x                   | --model: expected one of the demo",
                "serve --model m --model n --model-name x | --model-name: expected one model",
                "serve --models /proc --draft ngram       | --draft: applies to the model of"
                        + " --model",
                "serve --models /proc --lora x            | --lora: applies to the model of",
                "serve --models /proc --chat-template-file x | --chat-template-file: applies to"
                        + " the",
                "serve --model m --model-ttl 5            | such as 500ms, 90s, 5m or 1h, found 5",
                "serve --model m --model-alias x          | --model-alias: expected the form",
                "serve --model m --model-alias x=y        | one of the models m after x=, found y",
                "serve --model m --model-alias m=m        | --model-alias: m is already the name",
                "serve --model m --model-alias x=m --model-alias x=m | x occurs twice",
                "generate --model m --prompt x --models y | --models",
                "serve --model m --port 70000             | --port",
                "serve --model m --log-file-size 1M       | --log-file-size needs --log-file",
                "shard --model m --listen x --log-file-count 3 | --log-file-count needs --log-file",
                "serve --model m --max-body 4X            | --max-body",
                "serve --model m --cache-ram -1           | --cache-ram: expected 0 for none, or",
                "serve --model m --cache-ram 8            | or 1M to 1048576G, found 8",
                "serve --model m --cache-ram 4GB          | 1M to 1048576G, found 4GB",
                "serve --model m --cache-ram 1.5G         | 1M to 1048576G, found 1.5G",
                "serve --model m --cache-ram 8589934591G  | 1048576G, found 8589934591G",
                "serve --model m --cache-ram 99999999999G | 1M to 1048576G, found 99999999999G",
                "plan --model m --cache-ram some          | --cache-ram: expected 0 for none, or",
                "generate --model m --prompt x --cache-ram 1G | --cache-ram",
                "serve --model m --kv-cache-budget 1G     | --kv-cache-budget needs --kv-cache-dir",
                "serve --model m --kv-cache-ttl 1h        | --kv-cache-ttl needs --kv-cache-dir",
                "serve --model m --kv-cache-dir d --kv-cache-budget much | --kv-cache-budget:"
                        + " expected",
                "serve --model m --kv-cache-dir d --kv-cache-mode no | --kv-cache-mode: expected",
                "serve --model m --shared-cache-ttl 1h    | --shared-cache-ttl needs"
                        + " --shared-cache",
                "serve --model m --shared-cache redis://:pw | --shared-cache: expected",
                "serve --model m --kvflash 0              | --kvflash: expected a positive number",
                "generate --model m --prompt x --kvflash many | number of tokens or auto, found",
                "bench --model m --kvflash 512 --kvflash-policy no | --kvflash-policy: expected qk",
                "plan --model m --kvflash 512 --kvflash-policy drafter | needs --prefill-drafter",
                "generate --model m --prompt x --prefill-drafter d | needs --kvflash-policy"
                        + " drafter",
                "plan --model m --kvflash 512 --kvflash-tau 0 | --kvflash-tau: expected 1 or more",
                "serve --model m --kvflash 512 --kvflash-tau x | expected a whole number, found x",
                "generate --model m --prompt x --kvflash-policy lru | --kvflash-policy: needs",
                "logits --model m --tokens 1 --out o --kvflash 512 | --kvflash",
                "serve --model m --kvflash 512 --fa-window 4096 | --fa-window",
                "serve --model m --cache-scope all        | --cache-scope",
                "serve --model m --operator-key k --operator-key-file none | expected only one of"
                        + " them",
                "serve --model m --shard-patience 30      | such as 500ms, 90s, 5m or 1h, found 30",
                "serve --model m --shard-patience 0s      | such as 500ms, 90s, 5m or 1h, found 0s",
                "serve --model m --shard-patience -1s     | --shard-patience",
                "serve --model m --max-connections-per-client 0 | --max-connections-per-client",
                "serve --model m --cors-origin https://a.b/ | --cors-origin: expected the form",
                "serve --model m --cors-origin a.b        | --cors-origin: expected the form",
                "serve --model m --allowed-host http://a  | --allowed-host: expected the form",
                "serve --model m --reasoning-budget -1    | --reasoning-budget",
                "serve --model m --enable-thinking maybe  | --enable-thinking",
                "bench --model m -p 0 -n 0                | -p 0 -n 0",
                "logits --model m --tokens 1,,2 --out o   | --tokens",
                "bench --model m --device cpu:x           | --target-device: expected a backend",
                "bench --model m --device cpu --target-device cpu | --target-device",
                "bench --model m --target-layer-split 1,1 | --target-layer-split: needs two",
                "logits --model m --tokens 1 --out o --target-devices cpu:0, | --target-devices:"
                        + " empty",
                "generate --model m --prompt x --draft-ipc-ring-cap 9 | --draft-ipc-ring-cap:"
                        + " needs",
                "generate --model m --prompt x --draft-ipc-ring-cap x | --draft-ipc-ring-cap",
                "bench --model m --draft-max 4 | --draft-max: needs --draft; without",
                "bench --model m --draft off --draft-width 4 | --draft-width: needs --draft, which",
                "bench --model m --draft-device cpu:0 | --draft-device: needs --draft",
                "bench --model m --draft ngram --draft-max 0 | --draft-max: expected 1 to 63",
                "bench --model m --draft ngram --draft-max 64 | --draft-max: expected 1 to 63",
                "bench --model m --draft ngram --draft-width many | expected auto or 1 to 63",
                "bench --model m --draft ngram --draft-residency no | --draft-residency: expected",
                "bench --model m --target-devices cpu:0,cpu:0 --peer-access | --peer-access: has"
                        + " no",
                "serve --prefill-upstream-base http://h/v1 | --prefill-upstream-base: needs"
                        + " --prefill-compression auto or always and --prefill-drafter",
                "serve --prefill-upstream-base http://h/v1 --prefill-drafter d |"
                        + " --prefill-upstream-base: needs --prefill-compression auto or always",
                "serve --prefill-upstream-base http://h/v1 --prefill-compression auto |"
                        + " --prefill-compression auto: needs --prefill-drafter",
                "serve --prefill-upstream-base http://h/v1 --model m --prefill-compression auto"
                    + " --prefill-drafter d | --prefill-upstream-base and --model: expected only",
                "serve --prefill-upstream-base http://h/v1 --max-ctx 5 --prefill-compression auto"
                        + " --prefill-drafter d | --max-ctx: applies to a model in this process",
                "serve --prefill-upstream-base h:8000/v1 | --prefill-upstream-base: expected an",
                "serve --prefill-upstream-base ftp://h/v1 | --prefill-upstream-base: expected an",
                "serve --prefill-upstream-base http://u:pw@h/v1 | set the key separately",
                "serve --prefill-upstream-base http://h/v1?a=b | set the key separately",
                "serve --model m --prefill-upstream-key k | --prefill-upstream-key: needs",
                "serve --prefill-upstream-model k | --prefill-upstream-model: needs",
                "serve --prefill-upstream-base http://h/v1 --prefill-upstream-key schlüssel |"
                        + " --prefill-upstream-key: expected a key",
                "serve --prefill-upstream-base http://h/v1 --prefill-compression auto"
                        + " --prefill-drafter d --host 0.0.0.0 | --insecure",
                "serve --model m --prefill-drafter d --prefill-adaptive | --prefill-adaptive: needs"
                        + " --draft;",
                "serve --model m --draft off --prefill-drafter d --prefill-adaptive |"
                        + " --prefill-adaptive: needs --draft;",
                "serve --prefill-upstream-base http://h/v1 --prefill-compression auto"
                        + " --prefill-drafter d --prefill-adaptive | --prefill-adaptive: adapts",
                "serve --prefill-upstream-base http://h/v1 --prefill-compression auto"
                        + " --prefill-drafter d --draft-residency no | --draft-residency: expected",
                "serve --prefill-upstream-base http://h/v1 --prefill-compression auto"
                        + " --prefill-drafter d --draft-device :@ | --draft-device: expected",
                "serve --prefill-upstream-base http://h/v1 --prefill-compression auto"
                    + " --prefill-drafter d --draft-ipc-work-dir w | --draft-ipc-work-dir: needs",
            })
    void usageErrorIsStatusTwoAndNamesTheOption(String arguments, String expected) {
        Outcome outcome = run(arguments.split("\\s+"));

        assertEquals(2, outcome.status(), outcome.toString());
        assertTrue(outcome.err().startsWith("varve: "), outcome.toString());
        assertTrue(outcome.err().contains(expected), outcome.toString());
        assertFalse(outcome.err().matches("(?s).*(Exception|\\b(java|dev)\\.\\w+\\.).*"), expected);
        assertEquals("", outcome.out());
    }

    @Test
    void reasoningFlagsHaveHelp() {
        String help = run("serve", "--help").out();

        assertTrue(help.contains("--reasoning-budget N"), help);
        assertTrue(help.contains("--enable-thinking on|off"), help);
    }

    @Test
    void deviceFlagsAreGroupedWithRareOnesLast() {
        String help = run("serve", "--help").out();

        List<String> expected =
                List.of(
                        "Options:",
                        "--model FILE",
                        "Devices:",
                        "--target-devices LIST",
                        "--target-layer-split WEIGHTS",
                        "Memory and threads:",
                        "Bounded attention cache (KV Flash):",
                        "--kvflash N|auto",
                        "--kvflash-policy qk|lru",
                        "--kvflash-tau N",
                        "Speculative decoding:",
                        "--draft FILE|mtp|NAME|off",
                        "--draft-max N",
                        "--draft-width auto|N",
                        "--draft-device DEVICE",
                        "--ddtree[=auto|always|off]",
                        "--ddtree-budget N",
                        "Shards in other processes",
                        "--shard-tls-ca FILE",
                        "Rarely needed:",
                        "--draft-ipc-bin FILE",
                        "General:",
                        "--help");
        int last = -1;
        for (String each : expected) {
            int found = help.indexOf(each);
            assertTrue(found > last, each + " in " + help);
            last = found;
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"on", "off", "ON"})
    void reasoningFlagsAreAccepted(String thinking) {
        Outcome outcome =
                run(
                        "serve",
                        "--model",
                        "no-such.gguf",
                        "--port",
                        "0",
                        "--reasoning-budget",
                        "0",
                        "--enable-thinking",
                        thinking);

        assertEquals(new Outcome(1, "", "varve: no-such.gguf: no such file\n"), outcome);
    }

    @Test
    void fileThatIsNoModelIsOneLineAndStatusOne() throws IOException {
        Path file = Files.writeString(folder.resolve("notes.gguf"), "no model");

        Outcome outcome = run("inspect", "--model", file.toString());

        assertEquals(1, outcome.status(), outcome.toString());
        assertEquals(1, outcome.err().lines().count(), outcome.toString());
        assertTrue(outcome.err().startsWith("varve: notes.gguf: "), outcome.toString());
    }

    @Test
    void debugShowsTheStackTrace() {
        Outcome outcome = run("inspect", "--debug", "--model", "no-such.gguf");

        assertTrue(outcome.err().contains("at dev.varve.api"), outcome.toString());
    }

    @Test
    void renderPrintsTheExactPrompt() throws IOException {
        Path template =
                Files.writeString(
                        folder.resolve("chat.jinja"),
                        "{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}{% if"
                                + " add_generation_prompt %}<a>{% endif %}{{ n + 1 }}");
        Path input =
                Files.writeString(
                        folder.resolve("chat.json"),
                        "{\"messages\":[{\"role\":\"user\",\"content\":\"é"
                                + " \\\"q\\\"\"}],\"add_generation_prompt\":true,\"n\":41}");

        Outcome outcome =
                run("render", "--template", template.toString(), "--input", input.toString());

        assertEquals(new Outcome(0, "<user>é \"q\"<a>42", ""), outcome);
    }

    @Test
    void renderReportsThePositionOfInvalidJson() throws IOException {
        Path template = Files.writeString(folder.resolve("chat.jinja"), "x");
        Path input = Files.writeString(folder.resolve("chat.json"), "{\n\"messages\": oops}");

        Outcome outcome =
                run("render", "--template", template.toString(), "--input", input.toString());

        assertEquals(1, outcome.status());
        assertTrue(
                outcome.err().contains("chat.json: invalid JSON")
                        && outcome.err().contains("line 2"),
                outcome.err());
    }

    @Test
    void medianOfAnEvenNumberIsTheMeanOfTheMiddleTwo() {
        assertEquals(2.5, MedianRatio.median(new double[] {9, 2, 3, 1}));
        assertEquals(3, MedianRatio.median(new double[] {9, 3, 1}));
    }

    @Test
    void deviceWithoutANumberIsTheFirst() {
        assertEquals(DeviceReference.local("cpu", 0), DeviceReference.parse("cpu"));
        assertEquals(DeviceReference.local("vulkan", 2), DeviceReference.parse("vulkan:2"));
        assertThrows(IllegalArgumentException.class, () -> DeviceReference.parse("cpu:-1"));
    }
}
