package dev.varve.platform.engine;

import static dev.varve.platform.engine.PlainEngine.CONTEXT;
import static dev.varve.platform.engine.PlainEngine.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.model.LayerRange;
import dev.varve.contracts.SlotStore;
import dev.varve.platform.engine.PlainEngine.Ask;
import dev.varve.platform.prefix.CacheSource;
import dev.varve.platform.prefix.DiskTierOptions;
import dev.varve.platform.sequence.KvCacheConfig;
import dev.varve.platform.shard.PlainModel;
import dev.varve.platform.shard.PlainShard;
import dev.varve.platform.shard.RollbackBufferSizes;
import dev.varve.platform.store.ArchiveSettings;
import dev.varve.platform.store.DiskArchive;
import dev.varve.platform.store.Namespace;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Tests that hidden states which were evicted from host memory are loaded from disk when needed.
 */
@Timeout(60)
class StoredStatesTest {
    private static final int MOST = 3;
    private static final int BOUNDARY = 300;
    private static final Ask ASK = Ask.of(text(1, 400), 12, BOUNDARY);
    private static final Ask LONG = Ask.of(text(2, 900), 1);

    /** A quarter of it is for hidden states: too little for those of two prompts. */
    private static final long HOST = 1 << 20;

    @TempDir private Path folder;

    private DiskTierOptions disk() throws IOException {
        byte[] id = new byte[32];
        return new DiskTierOptions(
                DiskArchive.open(
                        new ArchiveSettings(
                                folder,
                                new Namespace(id, Map.of()),
                                1 << 16,
                                false,
                                new ArchiveSettings.Limits(64 << 20, 0, Optional.empty()),
                                Optional.empty(),
                                InstantSource.system()),
                        new SlotStore.Provider()),
                id,
                "");
    }

    /** An engine, and a speculator that receives its hidden states and proposes no token. */
    private record Rig(EngineCore engine, ScriptedSpeculator eyes) implements AutoCloseable {
        static Rig of(PlainModel model, DiskTierOptions disk) {
            List<Integer> captures =
                    IntStream.rangeClosed(0, model.shape().layerCount()).boxed().toList();
            EngineOptions options =
                    PlainEngine.withDisk(
                            new EngineOptions(
                                    new EngineOptions.Capacity(
                                            CONTEXT,
                                            1,
                                            new KvCacheConfig(
                                                    CONTEXT,
                                                    EngineOptions.Capacity.rowsFor(1),
                                                    new RollbackBufferSizes(1, 1 + MOST))),
                                    64),
                            model,
                            HOST,
                            disk);
            PlainShard.Sizes plain = PlainEngine.sizes(options);
            PlainShard shard =
                    new PlainShard(
                            model,
                            new LayerRange(0, model.shape().layerCount()),
                            new PlainShard.Sizes(
                                    plain.slots(),
                                    plain.stateRows(),
                                    captures,
                                    plain.rollbackBuffers()));
            ScriptedSpeculator eyes =
                    new ScriptedSpeculator(
                            List.of(), MOST, depth -> 0, model.shape().vocabularySize(), captures);
            return new Rig(
                    EngineCore.start(
                            new ShardPipeline(List.of(shard)),
                            model.shape(),
                            options,
                            Optional.of(new SpeculationOptions(eyes, MOST, OptionalInt.of(MOST)))),
                    eyes);
        }

        /** Returns the received states of a prompt that is found in a tier. */
        TreeMap<Integer, List<Float>> seen(CacheSource source) throws Exception {
            Collected answer = ASK.ask(engine);
            answer.await();
            assertEquals(Optional.of(source), answer.end().cache().source(), "" + answer.end());
            return eyes.seen().getLast();
        }

        @Override
        public void close() {
            engine.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void evictedStatesAreRestoredFromDisk(boolean forgets) throws Exception {
        PlainModel model = PlainEngine.model(forgets);
        TreeMap<Integer, List<Float>> whole;
        try (Rig rig = Rig.of(model, disk())) {
            ASK.ask(rig.engine()).await();
            whole = rig.eyes().seen().getLast();
            assertEquals(0, whole.firstKey());
        }
        // States that are being written are not evicted later. A run of its own: a slow writer
        // would drop the pending writes of the other prompt.
        try (Rig rig = Rig.of(model, disk())) {
            LONG.ask(rig.engine()).await();
        }
        try (Rig rig = Rig.of(model, disk())) {
            TreeMap<Integer, List<Float>> first = rig.seen(CacheSource.DISK);
            LONG.ask(rig.engine()).await();
            PlainEngine.pushOff(rig.engine());

            TreeMap<Integer, List<Float>> again = rig.seen(CacheSource.HOST);

            assertEquals(0, again.firstKey(), "from the first position on");
            assertEquals(first.keySet(), again.keySet());
            again.forEach((position, values) -> assertEquals(whole.get(position), values));
        }
    }
}
