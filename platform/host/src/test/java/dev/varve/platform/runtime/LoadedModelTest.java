package dev.varve.platform.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationListener;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.HostCacheOptions;
import dev.varve.platform.paging.PagePolicy;
import dev.varve.platform.paging.PagingOptions;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.sequence.KvCacheConfig;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.PlainModel;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A model of a full, a recurrent, a sliding and another full layer, computed in plain loops. */
class LoadedModelTest {
    private static final int CONTEXT = 256;
    private static final int ANSWER = 40;
    private static final int[] PROMPT = {5, 17, 3, 3, 60, 0, 22, 41, 9, 13, 28};
    private static final int[] OTHER_PROMPT = {44, 1, 2, 8, 30};

    @TempDir static Path folder;

    private static OpenedModel opened() {
        return PlainLoading.opened(PlainModel.mixed(CONTEXT), folder);
    }

    private static ModelSettings settings(int parallel) {
        return ModelSettings.of(SequenceLimits.of(CONTEXT, parallel));
    }

    /** Every way to cut four layers into one to four parts. */
    static Stream<Arguments> everyCut() {
        return IntStream.range(0, 8)
                .mapToObj(
                        bits ->
                                Arguments.of(
                                        (Object)
                                                IntStream.rangeClosed(1, 3)
                                                        .filter(cut -> (bits >> cut - 1 & 1) == 1)
                                                        .toArray()));
    }

    /** Collects the tokens of one request. */
    private static final class Said implements GenerationListener {
        private final List<Integer> tokens = new ArrayList<>();
        private final CompletableFuture<int[]> end = new CompletableFuture<>();

        @Override
        public boolean onToken(GeneratedToken token) {
            tokens.add(token.id());
            return true;
        }

        @Override
        public void onEnd(GenerationEnd how) {
            end.complete(tokens.stream().mapToInt(Integer::intValue).toArray());
        }

        @Override
        public void onError(VarveException error) {
            end.completeExceptionally(error);
        }

        int[] await() throws Exception {
            return end.get(60, TimeUnit.SECONDS);
        }
    }

    private static Said submit(LoadedModel model, int[] prompt) {
        Said said = new Said();
        model.engine().submit(GenerationRequest.greedy(prompt, ANSWER), said);
        return said;
    }

    private static int[] answer(int[] prompt, int... cuts) throws Exception {
        try (LoadedModel model = PlainLoading.load(opened(), settings(1), cuts)) {
            return submit(model, prompt).await();
        }
    }

    private static float[][] logits(int... cuts) {
        List<float[]> rows = new ArrayList<>();
        try (LoadedModel model = PlainLoading.load(opened(), settings(1), cuts)) {
            model.logits(
                    PROMPT,
                    (logits, count, vocabulary) -> {
                        for (int row = 0; row < count; row++) {
                            rows.add(
                                    Arrays.copyOfRange(
                                            logits, row * vocabulary, (row + 1) * vocabulary));
                        }
                    });
        }
        return rows.toArray(float[][]::new);
    }

    @ParameterizedTest
    @MethodSource("everyCut")
    void anyNumberOfShardsGivesTheTokensOfOne(int[] cuts) throws Exception {
        int[] whole = answer(PROMPT);

        int[] split = answer(PROMPT, cuts);

        assertEquals(ANSWER, split.length);
        assertArrayEquals(whole, split, "cut at " + Arrays.toString(cuts));
    }

    @ParameterizedTest
    @MethodSource("everyCut")
    void anyNumberOfShardsGivesTheLogitsOfOne(int[] cuts) {
        float[][] whole = logits();

        float[][] split = logits(cuts);

        assertEquals(PROMPT.length, split.length);
        for (int row = 0; row < whole.length; row++) {
            assertArrayEquals(
                    whole[row], split[row], "row " + row + ", cut at " + Arrays.toString(cuts));
        }
    }

    @ParameterizedTest
    @MethodSource("everyCut")
    @ByDay({2, 4})
    void batchedRequestsEqualSingleOnes(int[] cuts) throws Exception {
        int[] first = answer(PROMPT);
        int[] second = answer(OTHER_PROMPT);

        try (LoadedModel model = PlainLoading.load(opened(), settings(2), cuts)) {
            Said one = submit(model, PROMPT);
            Said other = submit(model, OTHER_PROMPT);

            assertArrayEquals(first, one.await());
            assertArrayEquals(second, other.await());
        }
        assertNotEquals(Arrays.toString(first), Arrays.toString(second));
    }

    @Test
    void engineIsStartedOnce() {
        try (LoadedModel model = PlainLoading.load(opened(), settings(1))) {
            assertSame(model.engine(), model.engine());
        }
    }

    @Test
    void logitsAreRefusedOnceTheEngineOwnsTheShards() {
        try (LoadedModel model = PlainLoading.load(opened(), settings(1))) {
            model.engine();

            assertThrows(
                    IllegalStateException.class,
                    () -> model.logits(PROMPT, (logits, rows, vocabulary) -> {}));
        }
    }

    @Test
    void chosenSettingsAreReported() {
        OpenedModel opened = opened();
        ModelSettings settings = settings(3);

        try (LoadedModel model = PlainLoading.load(opened, settings, 2)) {
            assertSame(opened.file(), model.file());
            assertSame(opened.adapter(), model.adapter());
            assertSame(settings, model.settings());
            assertEquals(CONTEXT, model.plan().contextTokens());
            assertEquals(3 * CONTEXT, model.plan().capacities().slots());
            assertEquals(2, model.shards().size());
        }
    }

    @Test
    void engineUsesTheHostCacheOfThePlan() {
        HostCacheLimit limit = new HostCacheLimit.Fixed(3 << 20);
        ModelSettings settings = settings(2).with(limit);

        try (LoadedModel model = PlainLoading.load(opened(), settings, 2);
                LoadedModel plain = PlainLoading.load(opened(), settings(2), 2)) {
            HostCacheOptions cache = model.engineOptions().hostCache().orElseThrow();

            assertEquals(3 << 20, cache.bytes());
            // Two layers of full attention, whichever shards have them.
            assertEquals(2 * 2 * 4 * 2, cache.layout().bytesPerToken());
            assertEquals(Optional.empty(), plain.engineOptions().hostCache());
        }
    }

    @Test
    void engineUsesThePoolOfThePlan() {
        ModelSettings settings =
                ModelSettings.of(SequenceLimits.of(1024, 2))
                        .withPool(Optional.of(RequestedPaging.of(512)));
        OpenedModel opened = PlainLoading.opened(PlainModel.mixed(1024), folder);

        try (LoadedModel model = PlainLoading.load(opened, settings, 2);
                LoadedModel plain = PlainLoading.load(opened(), settings(2), 2)) {
            KvCacheConfig caches = model.engineOptions().capacity().caches();

            // 64 rows of two layers of full attention, whichever shards have them.
            assertEquals(
                    Optional.of(new PagingOptions(512, PagePolicy.QK, 64, 64 * 2 * 2 * 4 * 2)),
                    caches.paging());
            assertEquals(2 * 512, caches.slots());
            assertEquals(Optional.empty(), plain.engineOptions().capacity().caches().paging());
        }
    }
}
