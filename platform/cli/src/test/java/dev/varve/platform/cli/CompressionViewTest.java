package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.compression.CompressedText;
import dev.varve.platform.compression.CompressionFingerprint;
import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.compression.CompressionTimes;
import dev.varve.platform.compression.conversation.CompressedConversation;
import dev.varve.platform.compression.selection.KeepReason;
import dev.varve.platform.compression.selection.KeptRange;
import dev.varve.platform.compression.selection.Selection;
import dev.varve.platform.compression.selection.TokenAlignedText;
import dev.varve.platform.compression.selection.TokenRange;

import org.junit.jupiter.api.Test;

import tools.jackson.databind.JsonNode;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** A prompt of which a part stays, as people and programs see it. */
class CompressionViewTest {
    private static final String TEXT = "Größe one two three four five";

    /** A token of three bytes each; characters may lie across borders. */
    private static CompressedText compressed() {
        byte[] bytes = TEXT.getBytes(StandardCharsets.UTF_8);
        int count = (bytes.length + 2) / 3;
        TokenAlignedText pieces =
                TokenAlignedText.of(
                        IntStream.range(0, count).toArray(),
                        id -> Arrays.copyOfRange(bytes, 3 * id, Math.min(bytes.length, 3 * id + 3)),
                        id -> false);
        Selection selection =
                new Selection(
                        count,
                        List.of(
                                new KeptRange(new TokenRange(0, 3), KeepReason.PROTECTED),
                                new KeptRange(new TokenRange(6, 7), KeepReason.SCORE),
                                new KeptRange(new TokenRange(7, 8), KeepReason.WORD)));
        return new CompressedText(TEXT, pieces, selection, new CompressionTimes(1, 2, 3));
    }

    @Test
    void omittedTextIsMarked() {
        assertEquals(
                "Größe o[… 3 tokens removed …]ree fo[… 3 tokens removed …]",
                CompressionView.text(compressed(), false));
    }

    @Test
    void terminalShowsTheWholePrompt() {
        String shown = CompressionView.text(compressed(), true);

        assertEquals(TEXT, shown.replaceAll("\u001b\\[[0-9;]*m", ""));
        assertTrue(shown.contains("\u001b[32mree\u001b[0m"), shown);
        assertFalse(shown.contains("removed"));
    }

    @Test
    void jsonOutputHasRangesAndMessages() {
        CompressedText text = compressed();
        CompressedConversation shorter =
                new CompressedConversation(
                        List.of(Map.of("role", "user", "content", "one")),
                        CompressionReport.Mode.WHOLE,
                        0.5,
                        0,
                        text.times(),
                        CompressionFingerprint.of(List.of("a")),
                        Optional.of(text));

        JsonNode json = CompressionView.json(shorter.report(20, 10), shorter, text);

        assertEquals(20, json.get("prompt_tokens").asInt());
        assertEquals(0.5, json.get("keep_actual").asDouble());
        assertEquals(2, json.get("score_ms").asDouble());
        JsonNode kept = json.get("kept").get(1);
        assertEquals("score", kept.get("reason").asString());
        assertEquals("ree", TEXT.substring(kept.get("begin").asInt(), kept.get("end").asInt()));
        assertEquals("one", json.get("messages").get(0).get("content").asString());
    }
}
