package dev.varve.platform.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.model.LayerRange;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * After any failure, requests end with a typed error, and the engine continues or rejects requests.
 */
@Timeout(120)
class EngineFaultTest {
    private static final int CONTEXT = 4 * KvSlotSpan.BLOCK;

    /**
     * Number of successful calls before the failing one. If it is odd, the faulty shard has its own
     * thread; if it is a multiple of 3, the faulty shard has the last layers.
     */
    private static final int[] FAULTS = {0, 1, 2, 3, 7, 60, 200};

    private static final int[] SOME_FAULTS = {0, 2, 3, 7};
    private static final EngineOptions SIZES = HashingModel.sizes(CONTEXT, 3, 5 * KvSlotSpan.BLOCK);

    /** Throwables of the faults. */
    private enum Fault implements Supplier<Throwable> {
        VARVE {
            @Override
            public Throwable get() {
                return new VarveException(VarveException.Kind.BACKEND_FAILED, "the device failed");
            }
        },
        LOST {
            @Override
            public Throwable get() {
                return new ShardLostException("the shard is gone", null);
            }
        },
        STATE {
            @Override
            public Throwable get() {
                return new IllegalStateException("made for the test");
            }
        },
        MEMORY {
            @Override
            public Throwable get() {
                return new OutOfMemoryError("made for the test");
            }
        },
        STACK {
            @Override
            public Throwable get() {
                return new StackOverflowError("made for the test");
            }
        }
    }

    private record Ask(int[] prompt, int count) {
        Collected of(Engine engine) {
            return Collected.ask(engine, prompt, prompt.length / 2, count);
        }
    }

    /**
     * Returns more requests than the pool can hold, so that rows move and sequences are preempted.
     */
    private static List<Ask> asks() {
        Random random = new Random(5);
        return Stream.generate(
                        () ->
                                new Ask(
                                        random.ints(
                                                        20 + random.nextInt(300),
                                                        0,
                                                        HashingShard.VOCABULARY)
                                                .toArray(),
                                        150))
                .limit(5)
                .toList();
    }

    private static List<List<Integer>> expected() throws Exception {
        List<List<Integer>> answers = new ArrayList<>();
        for (Ask ask : asks()) {
            try (EngineCore engine =
                    HashingModel.serial(HashingModel.sizes(CONTEXT, 1, CONTEXT), true)) {
                answers.add(Collected.ask(engine, ask.prompt(), ask.count()).await());
            }
        }
        return answers;
    }

    private static EngineCore engine(FaultyShard faulty, int layer, Object turn) {
        HashingShard sound =
                new HashingShard(
                        layer == 0 ? new LayerRange(2, 4) : new LayerRange(0, 2),
                        HashingModel.LAYERS,
                        turn,
                        () -> {},
                        SIZES,
                        true);
        return HashingModel.engine(
                layer == 0 ? List.of(faulty, sound) : List.of(sound, faulty), SIZES, true);
    }

    @ParameterizedTest
    @EnumSource
    @ByDay({1, 4, 7})
    void failingShardCallEndsAtMostItsRequests(FaultyShard.Call call) throws Exception {
        List<List<Integer>> answers = expected();
        for (Fault fault : Fault.values()) {
            for (int at : Effort.isFull() ? FAULTS : SOME_FAULTS) {
                boolean apart = at % 2 == 1;
                int layer = at % 3 == 0 ? 2 : 0;
                Object turn = new Object();
                FaultyShard faulty =
                        new FaultyShard(
                                new LayerRange(layer, layer + 2),
                                SIZES,
                                apart ? new Object() : turn,
                                call,
                                fault);
                String name = call + " " + fault + " after " + at;
                try (EngineCore engine = engine(faulty, layer, turn)) {
                    faulty.failAfter(at, 1);
                    answersOrTypedErrors(engine, answers, name);
                    assertFalse(engine.broken().isDone(), name);
                    faulty.failAfter(Integer.MAX_VALUE, 0);
                    assertEquals(answers.getFirst(), asks().getFirst().of(engine).await(), name);
                }
            }
        }
    }

    private static void answersOrTypedErrors(
            EngineCore engine, List<List<Integer>> answers, String name) throws Exception {
        List<Collected> collected = asks().stream().map(ask -> ask.of(engine)).toList();
        for (int i = 0; i < collected.size(); i++) {
            try {
                assertEquals(answers.get(i), collected.get(i).await(), name + ", request " + i);
            } catch (ExecutionException e) {
                assertInstanceOf(VarveException.class, e.getCause(), name + ", request " + i);
            }
        }
    }

    /** Listener methods that may throw. */
    private enum Hearing {
        START,
        PREFILL,
        TOKEN,
        END,
        ERROR
    }

    @ParameterizedTest
    @EnumSource
    void throwingListenerEndsItsOwnRequestOnly(Hearing hearing) throws Exception {
        List<List<Integer>> answers = expected();
        for (Fault fault : Fault.values()) {
            try (EngineCore engine =
                    HashingModel.engine(
                            HashingModel.stages(2, SIZES, true, new Random(1), 0), SIZES, true)) {
                Collected good = asks().getFirst().of(engine);
                Collected bad =
                        new Collected() {
                            private void hear(Hearing now) {
                                if (now == hearing) {
                                    FaultyListener.raise(fault.get());
                                }
                            }

                            @Override
                            public void onStart(int cachedTokens) {
                                hear(Hearing.START);
                            }

                            @Override
                            public void onPrefill(int done, int prompt) {
                                hear(Hearing.PREFILL);
                            }

                            @Override
                            public boolean onToken(GeneratedToken token) {
                                hear(Hearing.TOKEN);
                                return super.onToken(token);
                            }

                            @Override
                            public void onEnd(GenerationEnd how) {
                                super.onEnd(how);
                                hear(Hearing.END);
                            }

                            @Override
                            public void onError(VarveException error) {
                                super.onError(error);
                                hear(Hearing.ERROR);
                            }
                        };
                GenerationHandle generation =
                        engine.submit(Collected.request(asks().get(1).prompt(), 0, 400), bad);
                if (hearing == Hearing.ERROR) {
                    generation.cancel();
                }
                Collected later = asks().get(2).of(engine);

                assertEquals(answers.getFirst(), good.await(), hearing + " " + fault);
                assertEquals(answers.get(2), later.await(), hearing + " " + fault);
                if (hearing == Hearing.END) {
                    bad.end();
                } else {
                    assertThrows(ExecutionException.class, bad::end);
                }
                assertTrue(engine.drain(Duration.ofSeconds(30)));
                assertFalse(engine.broken().isDone());
            }
        }
    }

    /** A listener that throws an undeclared exception. */
    private static final class FaultyListener {
        @SuppressWarnings("unchecked")
        static <T extends Throwable> void raise(Throwable failure) throws T {
            throw (T) failure;
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"STATE", "MEMORY", "VARVE"})
    void permanentDeviceFailureBreaksTheEngine(Fault fault) throws Exception {
        FaultyShard faulty =
                new FaultyShard(new LayerRange(0, 2), SIZES, this, FaultyShard.Call.FORWARD, fault);
        try (EngineCore engine = engine(faulty, 0, this)) {
            faulty.failAfter(0, Integer.MAX_VALUE);
            List<Collected> all = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                try {
                    all.add(asks().getFirst().of(engine));
                } catch (VarveException e) {
                    assertEquals(VarveException.Kind.UNAVAILABLE, e.kind());
                }
            }

            VarveException reason = engine.broken().get(60, TimeUnit.SECONDS);

            assertTrue(reason.getMessage().contains("steps failed in a row"), reason.getMessage());
            for (Collected each : all) {
                ExecutionException end = assertThrows(ExecutionException.class, each::end);
                assertInstanceOf(VarveException.class, end.getCause());
            }
            VarveException refusal =
                    assertThrows(VarveException.class, () -> asks().getFirst().of(engine));
            assertEquals(reason.getMessage(), refusal.getMessage());
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"RECOVER", "RECOVER_FUTURE"})
    void failedRecoveryBreaksTheEngine(FaultyShard.Call call) throws Exception {
        FaultyShard recovering =
                new FaultyShard(new LayerRange(0, 2), SIZES, this, call, Fault.STATE);
        FaultyShard lost =
                new FaultyShard(
                        new LayerRange(2, 4),
                        SIZES,
                        this,
                        FaultyShard.Call.FORWARD_FUTURE,
                        Fault.LOST);
        try (EngineCore engine = HashingModel.engine(List.of(recovering, lost), SIZES, true)) {
            recovering.failAfter(0, 1);
            lost.failAfter(0, 1);
            Collected answer = asks().getFirst().of(engine);

            VarveException reason = engine.broken().get(60, TimeUnit.SECONDS);

            assertTrue(reason.getMessage().contains("made for the test"), reason.getMessage());
            assertThrows(ExecutionException.class, answer::end);
        }
    }

    /** The request may be the cause that ends a shard's process at each attempt. */
    @Test
    void requestThatLosesItsShardRepeatedlyFails() throws Exception {
        FaultyShard shard =
                new FaultyShard(
                        new LayerRange(0, 2),
                        SIZES,
                        this,
                        FaultyShard.Call.FORWARD_FUTURE,
                        Fault.LOST);
        try (EngineCore engine = engine(shard, 0, this)) {
            shard.failAfter(0, Integer.MAX_VALUE);
            Collected deadly = asks().getFirst().of(engine);

            ExecutionException end = assertThrows(ExecutionException.class, deadly::end);

            assertInstanceOf(ShardLostException.class, end.getCause());
            shard.failAfter(Integer.MAX_VALUE, 0);
            assertEquals(expected().getFirst(), asks().getFirst().of(engine).await());
        }
    }
}
