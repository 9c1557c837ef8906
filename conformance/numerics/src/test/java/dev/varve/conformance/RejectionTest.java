package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlType;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CachePart;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KeptParts;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.RowLayout;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.StateCommit;
import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * No cache keeps anything of rejected draft tokens. No computation reads their rows before the next
 * tokens overwrite them.
 */
@Timeout(300)
class RejectionTest {
    private static final int PROMPT = 90;
    private static final int STEPS = 200;
    private static final ShardChain.Place PLAIN = new ShardChain.Place(0, 1);
    private static final ShardChain.Place GUESSED = new ShardChain.Place(512, 2);

    @TempDir static Path models;

    /** Two shards over a model. Draft chunks have wrong draft tokens after the right tokens. */
    private record Rig(ShardChain chain, int[] text) implements AutoCloseable {
        static Rig of(Family family, GgmlType cache) throws Exception {
            RandomModel spec = family.odd(family.quantisableSeed());
            SplitModel model =
                    SplitModel.of(
                            spec.write(models),
                            Cpu.settings(512, 1, new CacheTypes(cache, cache)),
                            BoundaryType.F32,
                            device -> {
                                throw new IllegalStateException("all is here");
                            });
            ShardChain chain =
                    ShardChain.load(
                            model,
                            new CacheTypes(cache, cache),
                            BatchInvariance.ON,
                            List.of(),
                            List.of("cpu:0", "cpu:0"),
                            model.cuts().getFirst());
            return new Rig(chain, spec.tokens(PROMPT + 2 * STEPS + 64, 7));
        }

        float[] plain(int position) {
            SequenceChunk chunk =
                    new SequenceChunk(
                            1,
                            new int[] {text[position]},
                            ChunkPlacement.next(position, PLAIN.span(), PLAIN.stateRow()),
                            RequestedOutput.ALL);
            return chain.run(new Batch(List.of(chunk), Phase.DECODE)).logits().getFirst();
        }

        /**
         * Tokens of the text, and as many that are not in it; with what settles the ones before.
         */
        List<float[]> guessed(int position, int right, int wrong, List<StateCommit> before) {
            int[] tokens = Arrays.copyOfRange(text, position, position + right + wrong);
            for (int i = right; i < tokens.length; i++) {
                tokens[i] = (tokens[i] + 1 + i) % chain.shape().vocabularySize();
            }
            int row = GUESSED.stateRow();
            SequenceChunk chunk =
                    new SequenceChunk(
                            2,
                            tokens,
                            new ChunkPlacement(position, GUESSED.span(), row, row, 1),
                            RequestedOutput.ALL);
            CacheChanges changes = new CacheChanges(before, List.of());
            return chain.run(new Batch(changes, List.of(chunk), Phase.DECODE, List.of())).logits();
        }

        static List<StateCommit> settled(int position, int right) {
            int row = GUESSED.stateRow();
            return List.of(new StateCommit(1, row, row, position, right));
        }

        void settle(List<StateCommit> commits) {
            for (Shard shard : chain.shards()) {
                shard.change(new CacheChanges(commits, List.of())).join();
            }
        }

        @Override
        public void close() {
            chain.close();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "QWEN35, F16",
        "QWEN35, Q8_0",
        "QWEN35MOE, F16",
        "GEMMA4, F16",
        "GEMMA4, Q8_0",
        "LAGUNA, F16",
        "LAGUNA, F32"
    })
    @ByDay({2, 7})
    void tensorsAfterManyRejectionsEqualThoseOfPlainDecoding(Family family, GgmlType cache)
            throws Exception {
        try (Rig rig = Rig.of(family, cache)) {
            rig.chain().run(rig.text(), 0, PROMPT, PLAIN, List.of(), RequestedOutput.NONE);
            rig.chain().run(rig.text(), 0, PROMPT, GUESSED, List.of(), RequestedOutput.NONE);
            List<StateCommit> settled = List.of();
            int position = PROMPT;
            for (int step = 0; step < STEPS; step++) {
                int right = step % 5 == 4 ? 2 : 1;
                List<float[]> rows = rig.guessed(position, right, 1 + step % 7, settled);
                for (int i = 0; i < right; i++) {
                    assertArrayEquals(
                            rig.plain(position + i), rows.get(i), "position " + (position + i));
                }
                settled = Rig.settled(position, right);
                position += right;
            }
            rig.settle(settled);

            Map<Integer, byte[]> expected = rig.chain().export(PLAIN, position);
            Map<Integer, byte[]> found = rig.chain().export(GUESSED, position);

            assertEquals(expected.keySet(), found.keySet());
            expected.forEach(
                    (layer, bytes) -> assertArrayEquals(bytes, found.get(layer), "layer " + layer));
        }
    }

    /**
     * The test fills the rows of wrong draft tokens with NaN. A computation that reads such a row
     * gives NaN.
     */
    @ParameterizedTest
    @CsvSource({"QWEN35, F16", "QWEN35, F32", "GEMMA4, F16", "LAGUNA, F16"})
    void rowsOfRejectedDraftTokensAreNotRead(Family family, GgmlType cache) throws Exception {
        try (Rig rig = Rig.of(family, cache)) {
            rig.chain().run(rig.text(), 0, PROMPT, PLAIN, List.of(), RequestedOutput.NONE);
            rig.chain().run(rig.text(), 0, PROMPT, GUESSED, List.of(), RequestedOutput.NONE);
            int position = PROMPT;
            for (int step = 0; step < 6; step++) {
                rig.guessed(position, 1, 12, List.of());
                assertEquals(1, rig.plain(position).length / rig.chain().shape().vocabularySize());
                rig.settle(Rig.settled(position, 1));
                position++;
                poison(rig.chain(), position, 12);
                float[] expected = rig.plain(position);
                List<float[]> found = rig.guessed(position, 1, 3, List.of());
                assertArrayEquals(expected, found.getFirst(), "step " + step);
                rig.settle(Rig.settled(position, 1));
                position++;
            }
            // A chunk of a prompt that continues the text reads the rows behind it in another way.
            poison(rig.chain(), position, 12);
            int end = position + 64;
            assertArrayEquals(
                    rig.chain()
                            .run(rig.text(), position, end, PLAIN, List.of(), RequestedOutput.LAST)
                            .rows(),
                    rig.chain()
                            .run(
                                    rig.text(),
                                    position,
                                    end,
                                    GUESSED,
                                    List.of(),
                                    RequestedOutput.LAST)
                            .rows());
        }
    }

    /** Fills rows behind a position with NaN, in the layers that keep all rows. */
    private static void poison(ShardChain chain, int position, int count) {
        for (Shard shard : chain.shards()) {
            List<CachePart> parts = new ArrayList<>();
            for (CachePart part : chain.parts(shard, GUESSED, position)) {
                if (part instanceof CachePart.Rows(int layer, RowLayout layout, _, _, _)) {
                    int slot = GUESSED.span().begin() + position;
                    parts.add(new CachePart.Rows(layer, layout, slot, position, count));
                }
            }
            List<byte[]> bytes = new ArrayList<>();
            for (CachePart part : parts) {
                byte[] nan = new byte[(int) part.bytes()];
                // All ones are no number in F16 and in F32.
                Arrays.fill(nan, (byte) 0xff);
                bytes.add(nan);
            }
            shard.adopt(parts, KeptParts.of(bytes)).join();
        }
    }
}
