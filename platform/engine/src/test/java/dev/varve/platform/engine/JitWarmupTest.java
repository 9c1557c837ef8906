package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.platform.shard.ShardResult;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/** Tests that an idle engine runs warm-up steps without visible effects. */
@Timeout(60)
class JitWarmupTest {
    private static final int CONTEXT = 2 * KvSlotSpan.BLOCK;
    private static final int[] PROMPT = {3, 1, 4, 1, 5};
    private static final int COUNT = 20;
    private static final PlainModel MODEL = PlainModel.mixed(CONTEXT);

    /** A shard that reports each warm-up batch before it returns. */
    private static final class Rehearsing extends PlainShard {
        private final IntConsumer onRehearsal;
        private final boolean able;
        private final AtomicInteger rehearsed = new AtomicInteger();

        Rehearsing(EngineOptions options, boolean able, IntConsumer onRehearsal) {
            super(
                    MODEL,
                    MODEL.shape().allLayers(),
                    new Sizes(
                            options.capacity().caches().slots(),
                            options.capacity().caches().stateRows()));
            this.able = able;
            this.onRehearsal = onRehearsal;
        }

        @Override
        public boolean canWarmUp() {
            return able;
        }

        @Override
        public CompletableFuture<ShardResult> warmUp(
                Batch batch, Optional<LayerActivations> boundary) {
            onRehearsal.accept(rehearsed.incrementAndGet());
            return super.warmUp(batch, boundary);
        }
    }

    private static EngineOptions options(int context) {
        return new EngineOptions(EngineOptions.Capacity.of(context, 2, 2 * CONTEXT), 8);
    }

    private static EngineCore start(PlainShard shard) {
        return EngineCore.start(new ShardPipeline(List.of(shard)), MODEL.shape(), options(CONTEXT));
    }

    private static List<Integer> expected() throws Exception {
        try (EngineCore engine = start(new Rehearsing(options(CONTEXT), false, number -> {}))) {
            return Collected.ask(engine, PROMPT, COUNT).await();
        }
    }

    @Test
    void warmUpIsNotCountedAndChangesNoToken() throws Exception {
        CountDownLatch enough = new CountDownLatch(300);
        Rehearsing shard = new Rehearsing(options(CONTEXT), true, number -> enough.countDown());
        try (EngineCore engine = start(shard)) {
            enough.await();
            assertEquals(0, PlainEngine.status(engine).counts().steps());

            GenerationEnd end = Collected.ask(engine, PROMPT, COUNT).end();
            assertEquals(0, end.tokens().cached());
            assertEquals(expected(), Collected.ask(engine, PROMPT, COUNT).await());

            EngineStatus.Tokens tokens = PlainEngine.status(engine).counts().tokens();
            assertTrue(tokens.prompt() <= 2 * PROMPT.length, tokens.toString());
            assertTrue(tokens.generated() <= 2 * COUNT, tokens.toString());
        }
    }

    @Test
    void requestEndsTheWarmUp() throws Exception {
        CompletableFuture<EngineCore> engine = new CompletableFuture<>();
        CompletableFuture<Collected> answer = new CompletableFuture<>();
        Rehearsing shard =
                new Rehearsing(
                        options(CONTEXT),
                        true,
                        number -> {
                            if (number == 5) {
                                answer.complete(Collected.ask(engine.join(), PROMPT, COUNT));
                            }
                        });
        try (EngineCore started = start(shard)) {
            engine.complete(started);

            assertEquals(expected(), answer.get().await());
            assertEquals(5, shard.rehearsed.get());
        }
    }

    @Test
    void failedWarmUpFailsNoRequest() throws Exception {
        List<Runnable> failures =
                List.of(
                        () -> {
                            throw new VarveException(VarveException.Kind.BACKEND_FAILED, "not yet");
                        },
                        () -> {
                            throw new ShardLostException("gone");
                        },
                        () -> {
                            throw new NoSuchMethodError("of a plugin");
                        });
        for (Runnable failure : failures) {
            CountDownLatch failed = new CountDownLatch(1);
            Rehearsing shard =
                    new Rehearsing(
                            options(CONTEXT),
                            true,
                            number -> {
                                failed.countDown();
                                failure.run();
                            });
            try (EngineCore engine = start(shard)) {
                failed.await();

                assertEquals(expected(), Collected.ask(engine, PROMPT, COUNT).await());
                assertEquals(1, shard.rehearsed.get());
                assertFalse(engine.broken().isDone());
            }
        }
    }

    @Test
    void smallestContextIsEnough() throws Exception {
        CountDownLatch some = new CountDownLatch(20);
        EngineOptions smallest = options(1);
        Rehearsing shard = new Rehearsing(smallest, true, number -> some.countDown());
        try (EngineCore engine =
                EngineCore.start(new ShardPipeline(List.of(shard)), MODEL.shape(), smallest)) {
            some.await();

            assertEquals(0, PlainEngine.status(engine).counts().steps());
        }
    }
}
