package dev.varve.platform.compression.pages;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.compression.ScriptedDrafter;
import dev.varve.platform.shard.PagePoolSizing;
import dev.varve.platform.tokenizer.TestTokenizers;
import dev.varve.platform.tokenizer.Tokenizer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Pages that a drafter with another vocabulary scores. */
@Timeout(60)
class DrafterPageScorerTest {
    private static final Tokenizer MODEL = TestTokenizers.ofBytesAndWords(List.of("stone"), "<s>");

    private final ScriptedDrafter drafter =
            ScriptedDrafter.looksFor("stone", TestTokenizers.ofBytes("<other>", "</s>"));

    private final DrafterPageScorer reader = new DrafterPageScorer(drafter, MODEL);

    @AfterEach
    void close() {
        reader.close();
    }

    private static int[] text() {
        return MODEL.encode("grass ".repeat(60) + "a stone lies" + " grass".repeat(80), true);
    }

    @Test
    void pageWithTheRelevantTextScoresHighest() {
        int[] tokens = text();

        float[] scores = reader.read(tokens, () -> false).join();

        assertEquals(PagePoolSizing.pages(tokens.length), scores.length);
        int best = 360 / PagePoolSizing.PAGE;
        for (int page = 0; page < scores.length; page++) {
            assertTrue(page == best || scores[page] < scores[best], "page " + page);
        }
        assertArrayEquals(scores, reader.read(tokens, () -> false).join());
    }

    @Test
    void failureCostsOneScan() {
        drafter.failWith(
                Optional.of(new VarveException(VarveException.Kind.OUT_OF_MEMORY, "no room")));
        CompletableFuture<float[]> failed = reader.read(text(), () -> false);

        assertThrows(CompletionException.class, failed::join);

        drafter.failWith(Optional.empty());
        assertEquals(
                PagePoolSizing.pages(text().length),
                reader.read(text(), () -> false).join().length);
    }

    @Test
    void nothingIsScoredForCancelledRequests() {
        CompletableFuture<float[]> cancelled = reader.read(text(), () -> true);
        assertThrows(CancellationException.class, () -> unwrapped(cancelled));

        reader.close();
        assertTrue(reader.read(text(), () -> false).isCompletedExceptionally());
        assertEquals(0, drafter.readings());
    }

    private static void unwrapped(CompletableFuture<float[]> future) throws Throwable {
        try {
            future.join();
        } catch (CompletionException e) {
            throw e.getCause();
        }
    }
}
