package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Completions that shells offer with the script of {@code varve completion}. */
class CompletionScriptTest {
    private static final CompletionScript SCRIPTS =
            new CompletionScript(FlagsDocumentTest.commands());

    private static final Map<CompletionCommand.Shell, String> MADE = new ConcurrentHashMap<>();

    @TempDir Path folder;

    @BeforeEach
    void makeFiles() throws IOException {
        Path snapshot =
                folder.resolve("hub/models--Qwen--Qwen3-0.6B-GGUF/snapshots/1").toAbsolutePath();
        Files.createDirectories(snapshot);
        Files.createFile(snapshot.resolve("Qwen3-0.6B-Q8_0.gguf"));
        Files.createDirectories(folder.resolve("hub/models--other--no-gguf/snapshots/1"));
        Files.createDirectories(folder.resolve("work/models"));
        Files.createFile(folder.resolve("work/model.gguf"));
    }

    private static String script(CompletionCommand.Shell shell) {
        return MADE.computeIfAbsent(shell, SCRIPTS::of);
    }

    private List<String> run(String... command) throws Exception {
        ProcessBuilder builder =
                new ProcessBuilder(command)
                        .directory(folder.resolve("work").toFile())
                        .redirectErrorStream(true);
        builder.environment().put("HF_HUB_CACHE", folder.resolve("hub").toString());
        builder.environment().put("HOME", folder.toString());
        builder.environment().put("LC_ALL", "C.UTF-8");
        Process shell = builder.start();
        String out = new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertTrue(shell.waitFor(60, TimeUnit.SECONDS));
        return out.lines().map(String::strip).filter(each -> !each.isEmpty()).sorted().toList();
    }

    private Path scriptFile(CompletionCommand.Shell shell) throws IOException {
        return Files.writeString(folder.resolve("script"), script(shell));
    }

    /**
     * Returns what one bash offers at the end of each line, by line: it replaces the text after a
     * colon.
     */
    private Map<String, List<String>> bash(Collection<String> lines) throws Exception {
        List<String> command =
                new ArrayList<>(
                        List.of(
                                "bash",
                                "--norc",
                                "-c",
                                "source \"$1\"; for COMP_LINE in \"${@:2}\"; do"
                                        + " COMP_POINT=${#COMP_LINE}; _varve;"
                                        + " printf \"$COMP_LINE:%s\\n\" \"${COMPREPLY[@]}\"; done",
                                "bash",
                                scriptFile(CompletionCommand.Shell.BASH).toString()));
        command.addAll(lines);
        Map<String, List<String>> offered = new HashMap<>();
        lines.forEach(each -> offered.put(each, new ArrayList<>()));
        for (String each : run(command.toArray(String[]::new))) {
            offered.forEach(
                    (line, words) -> {
                        if (each.startsWith(line + ":") && each.length() > line.length() + 1) {
                            words.add(each.substring(line.length() + 1));
                        }
                    });
        }
        return offered;
    }

    private List<String> bash(String line) throws Exception {
        return bash(List.of(line)).get(line);
    }

    /** Returns what zsh would add; its completion system needs a terminal. */
    private List<String> zsh(String line) throws Exception {
        return run(
                "zsh",
                "-f",
                "-c",
                "compdef() { : }; compset() { : }; _files() { print -l files $@ };"
                        + " compadd() { shift; print -l -- $@ }; source \"$1\";"
                        + " words=(\"${(@s: :)2}\"); CURRENT=${#words}; _varve",
                "zsh",
                scriptFile(CompletionCommand.Shell.ZSH).toString(),
                line);
    }

    private List<String> fish(String line) throws Exception {
        return run(
                        "fish",
                        "--no-config",
                        "-c",
                        "source $argv[1]; complete -C $argv[2]",
                        scriptFile(CompletionCommand.Shell.FISH).toString(),
                        line)
                .stream()
                .map(each -> each.replaceFirst("\t.*", ""))
                .toList();
    }

    private static boolean isInstalled(String shell) {
        return Arrays.stream(System.getenv("PATH").split(":"))
                .anyMatch(each -> Files.isExecutable(Path.of(each, shell)));
    }

    private static List<String> sorted(String... words) {
        return Stream.of(words).sorted().toList();
    }

    @Test
    void bashOffersCommandsOptionsAndValues() throws Exception {
        Map<String, String> expected =
                Map.ofEntries(
                        Map.entry("varve serv", "serve"),
                        Map.entry("varve --he", "--help"),
                        Map.entry("varve serve --max-ct", "--max-ctx"),
                        Map.entry("varve serve --log-level i", "info"),
                        Map.entry("varve serve --log-level=de", "debug"),
                        Map.entry("varve plan --cache-type-k q8", "q8_0"),
                        Map.entry("varve serve --draft-residency r", "request-scoped"),
                        Map.entry("varve serve --draft m", "model.gguf models mtp"),
                        Map.entry("varve serve --model model", "model.gguf models"),
                        Map.entry("varve serve -m demo:q", "qwen35"),
                        Map.entry("varve serve --model=demo:l", "laguna"),
                        Map.entry("varve serve --model hf:Qw", "Qwen/Qwen3-0.6B-GGUF"),
                        Map.entry("varve serve --hf Q", "Qwen/Qwen3-0.6B-GGUF"),
                        Map.entry("varve rm Q", "Qwen/Qwen3-0.6B-GGUF"),
                        Map.entry("varve serve --models m", "models"),
                        Map.entry("varve serve --target-device cu", "cuda:0"),
                        Map.entry("varve serve --target-device cuda:", "0"),
                        Map.entry("varve serve --target-devices cpu:0,cu", "0,cuda:0"),
                        Map.entry("varve cache st", "status"),
                        Map.entry("varve cache status --kv-cache-d", "--kv-cache-dir"),
                        Map.entry("varve grammar check m", "model.gguf models"),
                        Map.entry("varve completion f", "fish"),
                        Map.entry("varve man ser", "serve"),
                        Map.entry(
                                "varve serve --no-page --str",
                                "--strict-fields --strict-max-tokens --strict-model"),
                        Map.entry("varve serve --ddtree=a", "always auto"));

        Map<String, List<String>> offered = bash(expected.keySet());

        assertEquals(
                new TreeMap<>(expected).toString(),
                offered.entrySet().stream()
                        .collect(
                                Collectors.toMap(
                                        Map.Entry::getKey,
                                        each -> String.join(" ", each.getValue()),
                                        (one, other) -> one,
                                        TreeMap::new))
                        .toString());
    }

    @Test
    void bashOffersAllModelsAndFilesForAnEmptyValue() throws Exception {
        assertEquals(
                sorted(
                        "demo:gemma4",
                        "demo:laguna",
                        "demo:qwen35",
                        "hf:Qwen/Qwen3-0.6B-GGUF",
                        "model.gguf",
                        "models"),
                bash("varve serve --model "));
    }

    @Test
    void hiddenCommandsAndOptionsAreNotOffered() throws Exception {
        assertFalse(bash("varve ").contains("warm-up"));
        assertTrue(bash("varve shard --").contains("--listen"));
        assertFalse(bash("varve shard --").contains("--supervised"));
    }

    @Test
    void zshOffersCommandsOptionsAndValues() throws Exception {
        assumeTrue(isInstalled("zsh"), "zsh is not installed");

        assertTrue(zsh("varve ").contains("serve"));
        assertTrue(zsh("varve serve --max").contains("--max-ctx"));
        assertEquals(sorted("json", "text"), zsh("varve serve --log-format "));
        assertTrue(zsh("varve serve --model ").containsAll(List.of("demo:laguna", "files")));
        assertTrue(zsh("varve serve --model ").contains("hf:Qwen/Qwen3-0.6B-GGUF"));
        assertEquals(sorted("files", "-/"), zsh("varve serve --models "));
        assertTrue(zsh("varve serve --target-device ").contains("cuda:0"));
        assertEquals(List.of("Qwen/Qwen3-0.6B-GGUF"), zsh("varve rm "));
    }

    @Test
    void fishOffersCommandsOptionsAndValues() throws Exception {
        assumeTrue(isInstalled("fish"), "fish is not installed");

        assertEquals(List.of("serve"), fish("varve serv"));
        assertEquals(List.of("--max-ctx"), fish("varve serve --max-ct"));
        assertEquals(sorted("json", "text"), fish("varve serve --log-format "));
        assertEquals(
                sorted(
                        "demo:gemma4",
                        "demo:laguna",
                        "demo:qwen35",
                        "hf:Qwen/Qwen3-0.6B-GGUF",
                        "model.gguf",
                        "models/"),
                fish("varve serve --model "));
        assertEquals(List.of("Qwen/Qwen3-0.6B-GGUF"), fish("varve rm "));
        assertEquals(List.of("models/"), fish("varve serve --models mod"));
    }
}
