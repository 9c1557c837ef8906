package dev.varve.platform.host;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.ImportanceScorer;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.local.LayerMajorImportanceScorer;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.testkit.Qwen3Model;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.FutureTask;
import java.util.function.BooleanSupplier;

/** A drafter reads texts on a thread that may block, and passes on failures unchanged. */
@Timeout(60)
class FilePrefillDrafterTest {
    private static final int[] TEXT = {1, 2, 3};

    /** Does as a test wants. */
    private interface Reading {
        float[] of(int[] tokens, BooleanSupplier cancelled);
    }

    @TempDir Path folder;

    private GgufFile file;

    @BeforeEach
    void write() throws IOException {
        file = GgufFile.open(Qwen3Model.tiny().write(folder));
    }

    private FilePrefillDrafter drafter(Reading reading) {
        return drafter(reading, Optional.empty());
    }

    private FilePrefillDrafter drafter(Reading reading, Optional<String> variant) {
        ImportanceScorer reader =
                new ImportanceScorer() {
                    @Override
                    public float[] read(int[] tokens, BooleanSupplier cancelled) {
                        return reading.of(tokens, cancelled);
                    }

                    @Override
                    public long weightBytes() {
                        return 0;
                    }

                    @Override
                    public long readingBytes(int tokens) {
                        return 0;
                    }

                    @Override
                    public void close() {
                        // There is nothing.
                    }
                };
        return new FilePrefillDrafter(
                new ModelRange(
                        file, new DescribedModel(PlainModel.full(), variant), new LayerRange(0, 1)),
                Tokenizer.of(file.metadata()),
                reader,
                new LayerMajorImportanceScorer.ScoringOptions(new LayerRange(0, 1), 8, false));
    }

    /** A request's thread is virtual, and must not wait in native code. */
    @Test
    void textsAreScoredOnABlockingThread() throws Exception {
        float[] scores = {1, 2, 3};
        try (FilePrefillDrafter drafter =
                drafter(
                        (tokens, cancelled) -> {
                            assertFalse(Thread.currentThread().isVirtual());
                            return scores;
                        })) {
            FutureTask<float[]> asked = new FutureTask<>(() -> drafter.score(TEXT, () -> false));
            Thread.ofVirtual().start(asked);

            assertArrayEquals(scores, asked.get());
        }
    }

    /** Scores of one rotation are not those of another. */
    @Test
    void choiceByTheLengthOfPromptsIsPartOfTheIdentity() {
        Reading none = (tokens, cancelled) -> new float[0];
        try (FilePrefillDrafter plain = drafter(none);
                FilePrefillDrafter first = drafter(none, Optional.of("short"));
                FilePrefillDrafter second = drafter(none, Optional.of("long"))) {
            List<String> identities =
                    List.of(plain.identity(), first.identity(), second.identity());

            assertEquals(3, Set.copyOf(identities).size(), identities::toString);
        }
    }

    @Test
    void failuresArePropagated() {
        VarveException full = new VarveException(VarveException.Kind.OUT_OF_MEMORY, "full");
        try (FilePrefillDrafter failing =
                        drafter(
                                (tokens, cancelled) -> {
                                    throw full;
                                });
                FilePrefillDrafter left =
                        drafter(
                                (tokens, cancelled) -> {
                                    while (!cancelled.getAsBoolean()) {
                                        Thread.onSpinWait();
                                    }
                                    throw new CancellationException();
                                })) {
            VarveException found =
                    assertThrows(VarveException.class, () -> failing.score(TEXT, () -> false));
            assertEquals(full, found);
            Thread caller = Thread.currentThread();
            assertThrows(
                    CancellationException.class,
                    () ->
                            left.score(
                                    TEXT,
                                    () -> {
                                        // It may write to the client.
                                        assertEquals(caller, Thread.currentThread());
                                        return true;
                                    }));
        }
    }
}
