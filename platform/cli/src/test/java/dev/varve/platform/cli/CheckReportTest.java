package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.check.CheckGroup;
import dev.varve.platform.check.CheckResult;
import dev.varve.platform.check.Verdict;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

class CheckReportTest {
    private static final List<CheckResult> RESULTS =
            List.of(
                    new CheckResult(
                            "cuda:0",
                            CheckGroup.MODELS,
                            "qwen35 on cuda:0",
                            Verdict.ok("error up to 5e-02", "1e-3 | 24 tokens"),
                            1.2345),
                    new CheckResult(
                            "cuda:0",
                            CheckGroup.COPIES,
                            "host and device",
                            Verdict.failed("", "/home/ada/varve/models/m.gguf: cannot be read"),
                            0));

    @TempDir Path folder;

    @Test
    void bothFilesHoldTheResultsWithoutFolders() throws Exception {
        List<Path> files =
                new CheckReport(RESULTS, true, List.of(CheckGroup.MODELS))
                        .write(folder.resolve("card.json"));

        assertEquals(List.of(folder.resolve("card.json"), folder.resolve("card.md")), files);
        JsonNode json = JsonMapper.shared().readTree(Files.readString(files.getFirst()));
        assertTrue(json.get("full").booleanValue());
        assertEquals("models", json.at("/groups/0").stringValue());
        assertEquals("ok", json.at("/results/0/result").stringValue());
        assertEquals(1.235, json.at("/results/0/seconds").doubleValue());
        assertEquals("m.gguf: cannot be read", json.at("/results/1/found").stringValue());
        String markdown = Files.readString(files.getLast());
        assertTrue(markdown.contains("| cuda:0 | 1 ok, 1 failed |"), markdown);
        assertTrue(markdown.contains(", `--full`, `--group models`."), markdown);
        assertTrue(markdown.contains("1e-3 \\| 24 tokens"), markdown);
        assertFalse(markdown.contains("ada"), markdown);
    }

    @Test
    void onlyFoldersOfPathsAreRemoved() {
        assertEquals(
                "lib.so and 3.5 GB/s, cpu:0,cuda:0, token/s",
                CheckReport.anonymous(
                        "/usr/lib/x/lib.so and 3.5 GB/s, cpu:0,cuda:0, token/s",
                        new CheckReport.Private("/", "x", "")));
    }

    @ParameterizedTest
    @CsvSource({
        "/home/ada, ~",
        "/home/ada x/m.gguf: damaged, ~/m.gguf: damaged",
        "/home/ada x/models/m.gguf, m.gguf",
        "/home/bob: permission denied, ~: permission denied",
        "/Users/bob/m.gguf, ~/m.gguf",
        "user ada@lab-7.example has no right, user USER@HOST.example has no right",
        "adapter labelled lab-70, adapter labelled lab-70",
        "/srv/ada, USER"
    })
    void namesOfTheUserAndTheHostAreReplaced(String text, String expected) {
        CheckReport.Private names = new CheckReport.Private("/home/ada x", "ada", "lab-7");

        assertEquals(expected, CheckReport.anonymous(text, names));
    }

    @Test
    void resultsRoundTripThroughJson() {
        for (CheckResult result : RESULTS) {
            var node = CliJson.object();
            CheckJson.put(node, result);

            CheckResult read = CheckJson.parse(node);

            assertEquals(result.verdict(), read.verdict());
            assertEquals(result.name(), read.name());
            assertEquals(result.group(), read.group());
        }
    }
}
