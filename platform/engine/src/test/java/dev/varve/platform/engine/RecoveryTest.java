package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerState;
import dev.varve.api.model.ModelShape;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.testkit.Await;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Tests requests during the loss of a shard. */
@Timeout(60)
class RecoveryTest {
    private static final int CONTEXT = 512;
    private static final Duration PATIENCE = Duration.ofMillis(400);
    private static final ModelShape SHAPE =
            new ModelShape(
                    "lost",
                    new ModelShape.Sizes(1, 1000, CONTEXT),
                    List.of(new LayerState.FullAttention(1, 1, 1)),
                    0);

    private final LosableShard shard = new LosableShard(new LayerRange(0, 1));

    private EngineCore engine() {
        return EngineCore.start(
                new ShardPipeline(List.of(shard)),
                SHAPE,
                ChangedOptions.withShardPatience(
                        new EngineOptions(EngineOptions.Capacity.of(CONTEXT, 1, CONTEXT), 8),
                        PATIENCE));
    }

    private static CompletableFuture<Integer> ask(Engine engine) {
        CompletableFuture<Integer> answer = new CompletableFuture<>();
        engine.submit(
                GenerationRequest.greedy(new int[] {7}, 3),
                new GenerationListener() {
                    private int tokens;

                    @Override
                    public boolean onToken(GeneratedToken token) {
                        tokens++;
                        return true;
                    }

                    @Override
                    public void onEnd(GenerationEnd how) {
                        answer.complete(tokens);
                    }

                    @Override
                    public void onError(VarveException error) {
                        answer.completeExceptionally(error);
                    }
                });
        return answer;
    }

    private static VarveException failureOf(CompletableFuture<Integer> answer) {
        ExecutionException failure =
                assertThrows(ExecutionException.class, () -> answer.get(20, TimeUnit.SECONDS));
        return (VarveException) failure.getCause();
    }

    @Test
    void requestsWaitWhileALostShardLoads() throws Exception {
        try (EngineCore engine = engine()) {
            // Each health check reports progress, for much longer than requests wait for a hanging
            // shard.
            shard.lose(4 * PATIENCE.toMillis(), true);

            assertEquals(3, Await.result(ask(engine)));
        }
    }

    @Test
    void requestsFailWhenALostShardMakesNoProgress() throws Exception {
        try (EngineCore engine = engine()) {
            shard.lose(Long.MAX_VALUE, false);

            VarveException failure = failureOf(ask(engine));

            assertEquals(ShardLostException.class, failure.getClass());
            assertThrows(ShardLostException.class, () -> ask(engine));
        }
    }

    @Test
    void requestsAreAcceptedAgainOnceAShardMakesProgress() throws Exception {
        try (EngineCore engine = engine()) {
            shard.lose(Long.MAX_VALUE, false);
            failureOf(ask(engine));

            shard.lose(4 * PATIENCE.toMillis(), true);
            CompletableFuture<Integer> answer = askUntilTaken(engine);

            assertEquals(3, answer.get(20, TimeUnit.SECONDS));
        }
    }

    @Test
    void statusReportsTheWaitingTime() throws Exception {
        try (EngineCore engine = engine()) {
            assertEquals(Optional.empty(), engine.status().outage());
            shard.lose(Long.MAX_VALUE, true);
            CompletableFuture<Integer> answer = ask(engine);

            EngineStatus.Outage waits =
                    Await.value("an outage", () -> engine.status().outage(), Optional::isPresent)
                            .orElseThrow();
            // Progress of the shard resets the remaining time.
            assertTrue(waits.left().compareTo(PATIENCE) <= 0, waits.toString());
            assertFalse(waits.rejectsRequests());
            assertEquals(1, engine.status().load().waiting());
            shard.lose(Long.MAX_VALUE, false);
            EngineStatus.Outage over =
                    Await.value(
                                    "the end of patience",
                                    () -> engine.status().outage(),
                                    outage ->
                                            outage.filter(EngineStatus.Outage::rejectsRequests)
                                                    .isPresent())
                            .orElseThrow();
            assertEquals(Duration.ZERO, over.left());
            assertTrue(over.waited().compareTo(PATIENCE) >= 0, over.toString());
            failureOf(answer);
            shard.lose(0, false);
            Await.until("a model that is whole", () -> engine.status().outage().isEmpty());
        }
    }

    @Test
    void requestThatWaitsAgainIsParked() throws Exception {
        try (EngineCore engine = engine()) {
            CompletableFuture<GenerationHandle> first = new CompletableFuture<>();
            CompletableFuture<Integer> answer = new CompletableFuture<>();
            first.complete(
                    engine.submit(
                            GenerationRequest.greedy(new int[] {7, 8}, 3),
                            new GenerationListener() {
                                @Override
                                public boolean onToken(GeneratedToken token) {
                                    if (!shard.isLost()) {
                                        shard.lose(Long.MAX_VALUE, true);
                                    }
                                    return true;
                                }

                                @Override
                                public void onEnd(GenerationEnd how) {
                                    answer.complete(how.tokens().generated());
                                }

                                @Override
                                public void onError(VarveException error) {
                                    answer.completeExceptionally(error);
                                }
                            }));

            GenerationProgress parked =
                    Await.value(
                                    "a parked request",
                                    () -> first.join().progress(),
                                    progress ->
                                            progress.map(GenerationProgress::state)
                                                    .filter(GenerationProgress.State.PARKED::equals)
                                                    .isPresent())
                            .orElseThrow();

            assertEquals(2, parked.promptTokens());
            assertEquals(2, parked.computedTokens());
            assertEquals(1, parked.generatedTokens());
            assertTrue(parked.generationTime().isPresent());
            first.join().cancel();
            VarveException failure = failureOf(answer);
            assertEquals(VarveException.Kind.CANCELLED, failure.kind());
        }
    }

    /** Submits requests until one is accepted, since the engine checks the shard periodically. */
    private static CompletableFuture<Integer> askUntilTaken(Engine engine) {
        return Await.value(
                        "an engine that takes requests", () -> asked(engine), Optional::isPresent)
                .orElseThrow();
    }

    private static Optional<CompletableFuture<Integer>> asked(Engine engine) {
        try {
            return Optional.of(ask(engine));
        } catch (ShardLostException e) {
            return Optional.empty();
        }
    }
}
