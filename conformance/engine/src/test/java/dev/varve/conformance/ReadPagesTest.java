package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.ggml.GgmlType;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.paging.AsyncPageScorer;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.testkit.TensorType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Pages that are chosen by somebody who reads the tokens beside the engine. */
@Timeout(600)
class ReadPagesTest {
    private static final int LONG = 1100;

    @TempDir static Path folder;

    /** A scorer that returns no scores before the test calls {@code goOn}. */
    private static final class SlowPages implements AsyncPageScorer {
        private final List<CompletableFuture<float[]>> asked = new ArrayList<>();
        private final CountDownLatch first = new CountDownLatch(1);
        private volatile BooleanSupplier cancelled = () -> false;
        private boolean waits = true;

        @Override
        public synchronized CompletableFuture<float[]> read(int[] tokens, BooleanSupplier leaves) {
            cancelled = leaves;
            CompletableFuture<float[]> scores = new CompletableFuture<>();
            if (waits) {
                asked.add(scores);
                first.countDown();
                return scores.thenApply(nothing -> HashedPages.scores(tokens));
            }
            return CompletableFuture.completedFuture(HashedPages.scores(tokens));
        }

        synchronized void goOn() {
            waits = false;
            asked.forEach(each -> each.complete(new float[0]));
        }

        synchronized int asked() {
            return asked.size();
        }

        @Override
        public void close() {
            // Nothing of it is its own.
        }
    }

    private static PagedModel sample(int parallel) throws Exception {
        return PagedModel.of(Family.QWEN35, TensorType.Q8_0, GgmlType.Q8_0, parallel, folder);
    }

    private static LoadedModel load(PagedModel sample, ModelSettings how, AsyncPageScorer reader) {
        return Cpu.load(sample.file(), how, LoadedModel.EngineComponents.NONE.with(reader));
    }

    @Test
    void otherRequestsContinueWhileASequenceWaitsForItsScores() throws Exception {
        PagedModel sample = sample(2);
        ModelSettings pooled = sample.pooled(PagedModel.POOL, PagePolicy.DRAFTER);
        int[] prompt = sample.tokens(LONG, 31);
        SlowPages slow = new SlowPages();

        int[] found;
        try (LoadedModel model = load(sample, pooled, slow)) {
            Answer waiting = Answer.ask(model.engine(), prompt, PagedModel.ANSWER);
            assertTrue(slow.first.await(60, TimeUnit.SECONDS));
            Answer other = Answer.ask(model.engine(), sample.tokens(60, 32), 200);

            assertEquals(200, other.tokens().length);
            assertEquals(1, slow.asked());
            slow.goOn();
            found = waiting.tokens();
        }

        assertArrayEquals(sample.alone(pooled, prompt), found);
    }

    @Test
    void failingScorerOnlyDisablesTheSelection() throws Exception {
        PagedModel sample = sample(1);
        int[] prompt = sample.tokens(LONG, 33);
        AsyncPageScorer broken =
                new HashedPages() {
                    @Override
                    public CompletableFuture<float[]> read(int[] tokens, BooleanSupplier leaves) {
                        return CompletableFuture.failedFuture(
                                new VarveException(VarveException.Kind.OUT_OF_MEMORY, "no room"));
                    }
                };

        ModelSettings pooled = sample.pooled(PagedModel.POOL, PagePolicy.DRAFTER);
        try (LoadedModel model = load(sample, pooled, broken)) {
            Answer answer = Answer.ask(model.engine(), prompt, PagedModel.ANSWER);

            assertEquals(PagedModel.ANSWER, answer.tokens().length);
            assertEquals(0, PagedModel.paging(answer).counts().reselects());
            assertEquals(0, PagedModel.paging(answer).counts().pagesIn());
            assertTrue(PagedModel.paging(answer).counts().pagesOut() > 9);
        }
    }

    @Test
    void cancelledRequestIsNotScoredAnyMore() throws Exception {
        PagedModel sample = sample(1);
        SlowPages slow = new SlowPages();
        try (LoadedModel model =
                load(sample, sample.pooled(PagedModel.POOL, PagePolicy.DRAFTER), slow)) {
            Answer waiting = Answer.ask(model.engine(), sample.tokens(LONG, 34), 5);
            assertTrue(slow.first.await(60, TimeUnit.SECONDS));

            waiting.cancel();

            assertThrows(Exception.class, waiting::tokens);
            assertTrue(slow.cancelled.getAsBoolean());
        }
    }

    @Test
    void policyWithoutAScorerIsRefused() throws Exception {
        PagedModel sample = sample(1);
        ModelSettings pooled = sample.pooled(PagedModel.POOL, PagePolicy.DRAFTER);

        IllegalArgumentException refusal =
                assertThrows(IllegalArgumentException.class, () -> Cpu.load(sample.file(), pooled));

        assertEquals(PagePolicy.withoutDrafter().getMessage(), refusal.getMessage());
    }
}
