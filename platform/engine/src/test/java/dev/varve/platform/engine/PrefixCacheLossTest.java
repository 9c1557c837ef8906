package dev.varve.platform.engine;

import static dev.varve.platform.engine.PlainEngine.CONTEXT;
import static dev.varve.platform.engine.PlainEngine.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.MovingShard.Move;
import dev.varve.platform.engine.PlainEngine.Ask;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.CachedPrefixInfo;
import dev.varve.platform.prefix.MissReason;
import dev.varve.platform.prefix.PrefixLookupResult;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.ShardLostException;
import dev.varve.testkit.Await;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Tests shards that fail or are lost during a copy to host memory or back. */
@Timeout(60)
class PrefixCacheLossTest {
    private static final int BLOCKS = CONTEXT / KvSlotSpan.BLOCK;
    private static final Ask FIRST = Ask.of(text(1, 400), 12, 300);

    /** Faults in the middle of a copy. */
    private enum Fault {
        LOSS,
        FAILURE;

        CompletableFuture<Void> of(MovingShard shard) {
            if (this == LOSS) {
                shard.lose("pulled out");
                return CompletableFuture.failedFuture(new ShardLostException("pulled out"));
            }
            return CompletableFuture.failedFuture(
                    new VarveException(VarveException.Kind.BACKEND_FAILED, "out of order"));
        }

        void end(MovingShard shard) {
            if (this == LOSS) {
                shard.comeBack();
            }
        }
    }

    /** An engine with host memory, its faulty shard, and an engine without host memory. */
    private record Rig(EngineCore engine, MovingShard shard, EngineCore alone)
            implements AutoCloseable {
        static Rig of(boolean forgets, int stages) {
            PlainModel model = PlainEngine.model(forgets);
            EngineOptions options =
                    PlainEngine.withHost(PlainEngine.options(2, BLOCKS), model, 64 << 20);
            List<MovingShard> shards =
                    PlainEngine.ranges(model, stages).stream()
                            .map(range -> new MovingShard(model, range, PlainEngine.sizes(options)))
                            .toList();
            return new Rig(
                    PlainEngine.start(model, options, shards),
                    shards.getLast(),
                    PlainEngine.alone(model));
        }

        void trap(Move move, int calls, Fault fault) {
            shard.trap(move, calls, () -> fault.of(shard));
        }

        GenerationEnd require(Ask ask, Collected answer) throws Exception {
            assertEquals(ask.alone(alone), answer.await());
            return answer.end();
        }

        /** Continues a conversation that is cached only in host memory. */
        Collected goOn(Ask before) throws Exception {
            PlainEngine.pushOff(engine);
            return next(before).ask(engine);
        }

        Ask next(Ask before) throws Exception {
            return before.next(before.alone(alone), text(2, 30));
        }

        void awaitCopied(int position) {
            Await.until("the end is copied", () -> holds(position));
        }

        private boolean holds(int position) {
            return Await.result(engine.cacheEntries()).stream()
                    .map(CachedPrefixInfo::tokens)
                    .anyMatch(tokens -> tokens == position);
        }

        /** Checks that another conversation is cached and found normally. */
        void requireWorks() throws Exception {
            Ask other = Ask.of(text(8, 350), 12, 280);
            require(other, other.ask(engine));
            awaitCopied(361);
            GenerationEnd end = require(next(other), goOn(other));
            assertEquals(Optional.of(CacheSource.HOST), end.cache().source());
            PlainEngine.assertNothingStays(engine);
        }

        @Override
        public void close() {
            engine.close();
            alone.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "true, 1, 0, LOSS",
        "true, 2, 1, LOSS",
        "true, 3, 2, LOSS",
        "false, 2, 0, LOSS",
        "true, 1, 1, FAILURE",
        "true, 2, 0, FAILURE",
        "false, 3, 0, FAILURE"
    })
    @ByDay({1, 4, 7})
    void faultDuringAnExportChangesNoToken(boolean forgets, int stages, int calls, Fault fault)
            throws Exception {
        try (Rig rig = Rig.of(forgets, stages)) {
            rig.trap(Move.EXPORT, calls, fault);
            Collected answer = FIRST.ask(rig.engine());
            rig.shard().awaitTrap();
            fault.end(rig.shard());
            rig.require(FIRST, answer);
            rig.require(rig.next(FIRST), rig.next(FIRST).ask(rig.engine()));

            rig.requireWorks();
        }
    }

    @ParameterizedTest
    @CsvSource({"true, 1, LOSS", "true, 2, LOSS", "false, 3, LOSS"})
    @ByDay(2)
    void hostMemorySurvivesAShardLossDuringAnImport(boolean forgets, int stages, Fault fault)
            throws Exception {
        try (Rig rig = Rig.of(forgets, stages)) {
            rig.require(FIRST, FIRST.ask(rig.engine()));
            rig.awaitCopied(411);
            rig.trap(Move.ADOPT, 0, fault);
            Collected answer = rig.goOn(FIRST);
            rig.shard().awaitTrap();
            fault.end(rig.shard());

            GenerationEnd end = rig.require(rig.next(FIRST), answer);

            assertEquals(Optional.of(CacheSource.HOST), end.cache().source());
            assertEquals(411, end.tokens().cached());
            rig.requireWorks();
        }
    }

    @ParameterizedTest
    @CsvSource({"true, 1", "true, 2", "false, 3"})
    @ByDay(1)
    void promptWhoseImportFailsIsComputed(boolean forgets, int stages) throws Exception {
        try (Rig rig = Rig.of(forgets, stages)) {
            rig.require(FIRST, FIRST.ask(rig.engine()));
            rig.awaitCopied(411);
            rig.trap(Move.ADOPT, 0, Fault.FAILURE);

            GenerationEnd end = rig.require(rig.next(FIRST), rig.goOn(FIRST));

            assertEquals(PrefixLookupResult.missed(MissReason.FAILED), end.cache());
            assertEquals(
                    1,
                    PlainEngine.status(rig.engine())
                            .cache()
                            .counts()
                            .misses()
                            .get(MissReason.FAILED));
            assertEquals(
                    Optional.of(CacheSource.HOST),
                    rig.require(rig.next(FIRST), rig.goOn(FIRST)).cache().source());
            rig.requireWorks();
        }
    }

    /** The engine has no other work and waits for the copy. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void requestsArriveDuringACopy(boolean isLost) throws Exception {
        try (Rig rig = Rig.of(true, 2)) {
            CompletableFuture<Void> held = rig.shard().hold(Move.EXPORT, 1);
            Collected first = FIRST.ask(rig.engine());
            rig.shard().awaitTrap();
            CompletableFuture<Void> cleared = rig.engine().clearCache();
            Ask other = Ask.of(text(5, 333), 12, 200);
            Collected second = other.ask(rig.engine());

            if (isLost) {
                rig.shard().lose("pulled out");
                held.completeExceptionally(new ShardLostException("pulled out"));
                rig.shard().comeBack();
            } else {
                held.complete(null);
            }

            rig.require(FIRST, first);
            rig.require(other, second);
            Await.result(cleared);
            rig.requireWorks();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void requestCancelledDuringAnImportFreesItsSlots(int stages) throws Exception {
        try (Rig rig = Rig.of(true, stages)) {
            rig.require(FIRST, FIRST.ask(rig.engine()));
            rig.awaitCopied(411);
            PlainEngine.pushOff(rig.engine());
            CompletableFuture<Void> held = rig.shard().hold(Move.ADOPT, 0);
            Collected cancelled = new Collected();
            GenerationHandle generation = rig.engine().submit(rig.next(FIRST).request(), cancelled);
            rig.shard().awaitTrap();

            generation.cancel();
            held.complete(null);
            VarveException reason =
                    (VarveException)
                            assertThrows(ExecutionException.class, cancelled::end).getCause();

            assertEquals(VarveException.Kind.CANCELLED, reason.kind());
            assertTrue(rig.holds(411), "it is still there for others");
            rig.requireWorks();
        }
    }
}
