package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.ChatDialect;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelShape;
import dev.varve.api.model.ShardGraph;
import dev.varve.api.model.StateStep;
import dev.varve.api.model.TensorSelection;
import dev.varve.platform.runtime.LoadedModel;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CacheCapacities;
import dev.varve.platform.shard.CacheLayout;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KeptParts;
import dev.varve.platform.shard.KvSlotSpan;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.ModelRange;
import dev.varve.platform.shard.OpenedModel;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardOptions;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.local.LocalShard;
import dev.varve.testkit.TestSeed;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/** States that a family shapes and advances itself, compared with plain loops. */
class CustomStateTest {
    private static final int SPAN = 256;
    private static final int TEXTS = 3;

    /** Float rounding of three layers and a head of 32 terms, at logits of size 1. */
    private static final double TOLERANCE = 1e-4;

    @TempDir Path folder;

    private final List<int[]> texts = new ArrayList<>();
    private final int[] done = new int[TEXTS];
    private final List<LocalShard> shards = new ArrayList<>();
    private GgufFile file;

    @BeforeEach
    void write() throws Exception {
        file = GgufFile.open(ShiftModel.write(folder.resolve("shift.gguf")));
        for (int text = 0; text < TEXTS; text++) {
            texts.add(new Random(TestSeed.of(text)).ints(60, 0, ShiftModel.VOCABULARY).toArray());
        }
    }

    @AfterEach
    void close() {
        shards.forEach(LocalShard::close);
    }

    @ParameterizedTest
    @ValueSource(ints = {60, 7, 2, 1})
    void statesContinueFromChunkToChunk(int chunk) {
        load();
        for (int begin = 0; begin < 60; begin += chunk) {
            forward(next(0, Math.min(chunk, 60 - begin)));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void splitTransfersNoStatesBetweenShards(int cut) {
        load(cut);
        forward(next(0, 40));
        forward(next(0, 1));
    }

    @Test
    void sequencesOfAnyLengthAreBatchedOrComputedAlone() {
        load();
        forward(next(0, 5), next(1, 5), next(2, 5));
        forward(next(0, 1), next(1, 1), next(2, 7));
        forward(next(2, 1), next(0, 3), next(1, 3));
        for (int step = 0; step < 10; step++) {
            forward(next(0, 1), next(1, 1), next(2, 1));
        }
    }

    @Test
    void exportedStateContinuesInAnotherRow() {
        load();
        forward(next(0, 20));
        KeptParts kept = new KeptParts();
        shards.getFirst().export(states(1), kept).join();
        forward(next(1, 9));

        shards.getFirst().adopt(states(2), kept).join();

        assertEquals(List.of(0, 2), states(1).stream().map(CachePart::layer).toList());
        texts.set(1, texts.get(0));
        done[1] = 20;
        forward(next(1, 12));
        forward(next(0, 12));
    }

    private List<CachePart> states(int row) {
        CacheLayout layout =
                CacheLayout.of(new ShiftModel(file).shape(), shards.getFirst().range(), Cpu.F16, 0);
        List<CachePart> parts = new ArrayList<>(layout.rows(span(row - 1), 0, 20));
        assertEquals(List.of(), parts, "no layer keeps rows");
        return layout.states(row, 20);
    }

    @Test
    void engineMatchesThePlainLoop() throws Exception {
        ShiftModel model = new ShiftModel(file);
        int[] prompt = Arrays.copyOf(texts.get(0), 30);
        int[] expected = prompt;
        for (int count = 0; count < 20; count++) {
            double[][] logits = ShiftModel.logits(expected);
            expected = Arrays.copyOf(expected, expected.length + 1);
            expected[expected.length - 1] = best(logits[logits.length - 1]);
        }

        int[] actual;
        try (LoadedModel loaded =
                LoadedModel.load(
                        new OpenedModel(file, model),
                        Cpu.device(),
                        Cpu.settings(128, 2, Cpu.F16),
                        List.of(new LayerRange(0, 1), new LayerRange(1, 3)))) {
            actual = Answer.ask(loaded.engine(), prompt, 0, 20, SamplingOptions.greedy()).tokens();
        }

        assertEquals(
                Arrays.toString(Arrays.copyOfRange(expected, 30, 50)), Arrays.toString(actual));
    }

    @Test
    void stepThatDoesNotWriteAStateIsRefusedByLayerAndName() {
        // At load, or by the first forward, which wraps it.
        RuntimeException refusal =
                assertThrows(
                        RuntimeException.class,
                        () -> {
                            load(
                                    group ->
                                            new StateStep.Result(
                                                    group.columns().getFirst(),
                                                    Map.of("near", group.states().get("near"))));
                            forward(next(0, 3));
                        });

        assertTrue(
                refusal.getMessage()
                        .contains("layer 0, advanceState: states: expected [far, near]"),
                refusal.getMessage());
    }

    /** The first request alone would not show it. */
    @Test
    void stepThatIsWrongForSeveralSequencesIsRefusedAtLoad() {
        RuntimeException refusal =
                assertThrows(
                        RuntimeException.class,
                        () ->
                                load(
                                        group ->
                                                new StateStep.Result(
                                                        group.columns().getFirst(),
                                                        group.sequences() == 1
                                                                ? group.states()
                                                                : Map.of())));

        assertTrue(
                refusal.getMessage()
                        .contains("layer 0, advanceState: states: expected [far, near]"),
                refusal.getMessage());
    }

    private void load(int... cuts) {
        int begin = 0;
        for (int i = 0; i <= cuts.length; i++) {
            int end = i < cuts.length ? cuts[i] : 3;
            load(new ShiftModel(file), new LayerRange(begin, end));
            begin = end;
        }
    }

    /** A model of one layer whose step is another one. */
    private void load(StateStep step) {
        ShiftModel model = new ShiftModel(file);
        load(new OtherStep(model, step), new LayerRange(0, 1));
    }

    private void load(LayerSplitAdapter model, LayerRange range) {
        shards.add(
                LocalShard.load(
                        new ModelRange(file, model, range),
                        Cpu.device(),
                        ShardOptions.of(Cpu.F16, new CacheCapacities(TEXTS * SPAN, TEXTS + 1, 0)),
                        LoadProgressListener.silent()));
    }

    private SequenceChunk next(int text, int count) {
        int begin = done[text];
        done[text] += count;
        return new SequenceChunk(
                text,
                Arrays.copyOfRange(texts.get(text), begin, begin + count),
                ChunkPlacement.next(begin, span(text), text + 1),
                RequestedOutput.ALL);
    }

    private static KvSlotSpan span(int text) {
        return new KvSlotSpan(text * SPAN, SPAN);
    }

    /** Computes chunks together and compares all their logits. */
    private void forward(SequenceChunk... chunks) {
        Batch batch = new Batch(List.of(chunks), Phase.PREFILL);
        Optional<LayerActivations> boundary = Optional.empty();
        float[] logits = {};
        for (LocalShard shard : shards) {
            ShardResult result = shard.forward(batch, boundary).join();
            boundary = result.boundary();
            logits = result.logits();
        }
        int row = 0;
        for (SequenceChunk chunk : chunks) {
            double[][] expected = ShiftModel.logits(texts.get((int) chunk.sequence()));
            for (int i = 0; i < chunk.tokens().length; i++, row++) {
                for (int token = 0; token < ShiftModel.VOCABULARY; token++) {
                    assertEquals(
                            expected[chunk.firstPosition() + i][token],
                            logits[row * ShiftModel.VOCABULARY + token],
                            TOLERANCE,
                            "text "
                                    + chunk.sequence()
                                    + ", position "
                                    + (chunk.firstPosition() + i));
                }
            }
        }
    }

    private static int best(double[] logits) {
        int best = 0;
        for (int i = 1; i < logits.length; i++) {
            best = logits[i] > logits[best] ? i : best;
        }
        return best;
    }

    /** The model, of which the first layer is advanced otherwise. */
    private record OtherStep(ShiftModel model, StateStep step) implements LayerSplitAdapter {
        @Override
        public ModelShape shape() {
            return model.shape();
        }

        @Override
        public TensorSelection tensors(LayerRange range) {
            return model.tensors(range);
        }

        @Override
        public void build(ShardGraph graph, LayerRange range) {
            graph.boundaryOutput(
                    graph.advanceState(0, List.of(graph.embed("token_embd.weight")), step));
        }

        @Override
        public ChatDialect chatDialect() {
            return model.chatDialect();
        }
    }
}
