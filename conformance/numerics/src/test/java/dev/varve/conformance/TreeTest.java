package dev.varve.conformance;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlType;
import dev.varve.conformance.RandomModel.Family;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.shard.AcceptedPath;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheChanges;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.ChunkComputeMode;
import dev.varve.platform.shard.ChunkPlacement;
import dev.varve.platform.shard.KvRowOperation;
import dev.varve.platform.shard.KvSlotCopy;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.Shard;
import dev.varve.platform.shard.StateCommit;
import dev.varve.platform.shard.TokenTree;
import dev.varve.testkit.ByDay;
import dev.varve.testkit.TestSeed;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Each token of a tree has the logits that it has behind the tokens that it follows, alone; and a
 * path that is taken leaves what its tokens leave one after the other.
 */
@Timeout(300)
class TreeTest {
    private static final int PROMPT = 90;
    private static final int STEPS = 24;
    private static final int TOKENS = 13;
    private static final ShardChain.Place PLAIN = new ShardChain.Place(0, 1);
    private static final ShardChain.Place GUESSED = new ShardChain.Place(512, 2);

    /** State row of what is only tried. */
    private static final int ASIDE = 3;

    @TempDir static Path models;

    /** A tree of tokens, in which the text itself is a path. */
    private record Guess(int[] tokens, TokenTree tree, AcceptedPath right) {
        static Guess of(int[] text, int position, int vocabulary, Random random) {
            int[] parents = new int[TOKENS];
            int[] tokens = new int[TOKENS];
            List<Integer> right = new ArrayList<>(List.of(0));
            parents[0] = -1;
            tokens[0] = text[position];
            int most = 1 + random.nextInt(5);
            for (int i = 1; i < TOKENS; i++) {
                int left = TOKENS - i;
                boolean goesOn =
                        right.size() < most
                                && (left <= most - right.size() || random.nextInt(3) == 0);
                parents[i] = goesOn ? right.getLast() : random.nextInt(i);
                tokens[i] =
                        goesOn
                                ? text[position + right.size()]
                                : (text[position] + 1 + i) % vocabulary;
                if (goesOn) {
                    right.add(i);
                }
            }
            return new Guess(
                    tokens,
                    TokenTree.of(parents),
                    AcceptedPath.of(right.stream().mapToInt(Integer::intValue).toArray()));
        }

        int[] along(int token) {
            return Arrays.stream(tree.path(token)).map(i -> tokens[i]).toArray();
        }
    }

    private static List<float[]> run(
            ShardChain chain, int position, int[] tokens, TokenTree tree, int writeRow) {
        SequenceChunk chunk =
                new SequenceChunk(
                        2,
                        tokens,
                        new ChunkPlacement(
                                position, GUESSED.span(), GUESSED.stateRow(), writeRow, 1),
                        RequestedOutput.ALL,
                        ChunkComputeMode.ROWS,
                        tree);
        return chain.run(new Batch(List.of(chunk), Phase.DECODE)).logits();
    }

    private static CacheChanges settled(int position, AcceptedPath path) {
        int row = GUESSED.stateRow();
        int first = GUESSED.span().slot(position);
        return new CacheChanges(
                List.of(new StateCommit(1, row, row, position, path)),
                path.moves().stream()
                        .<KvRowOperation>map(
                                m -> new KvSlotCopy(first + m.from(), first + m.to(), m.count()))
                        .toList());
    }

    @ParameterizedTest
    @CsvSource({
        // Sizes of states for which the processor has operators of its own, and others.
        "QWEN35, 1, F16, cpu:0",
        "QWEN35, 2, F16, cpu:0",
        "QWEN35, 3, F32, cpu:0",
        "QWEN35, 5, F16, cpu:0",
        "QWEN35MOE, 3, F16, cpu:0",
        "QWEN35MOE, 4, F32, cpu:0",
        "GEMMA4, 3, F16, cpu:0",
        "GEMMA4, 9, F32, cpu:0",
        "LAGUNA, 4, F16, cpu:0",
        "LAGUNA, 2, F32, cpu:0"
    })
    @ByDay({1, 2, 9})
    void treesMatchTheirPathsNumerically(Family family, long seed, GgmlType cache, String device)
            throws Exception {
        RandomModel spec = family.odd(seed);
        try (ShardChain chain = load(spec, cache, device)) {
            int[] text = spec.tokens(PROMPT + 8 * STEPS, 7);
            Random random = new Random(TestSeed.of(1));
            chain.run(text, 0, PROMPT, PLAIN, List.of(), RequestedOutput.NONE);
            chain.run(text, 0, PROMPT, GUESSED, List.of(), RequestedOutput.NONE);
            int position = PROMPT;
            for (int step = 0; step < STEPS; step++) {
                Guess guess = Guess.of(text, position, chain.shape().vocabularySize(), random);
                List<float[]> alone = step % 6 == 0 ? alone(chain, position, guess) : List.of();
                List<float[]> rows =
                        run(chain, position, guess.tokens(), guess.tree(), GUESSED.stateRow());
                for (int i = 0; i < guess.right().length(); i++) {
                    assertArrayEquals(
                            plain(chain, text[position + i], position + i),
                            rows.get(guess.right().token(i)),
                            "position " + (position + i) + " of " + guess);
                }
                for (int token = 0; token < alone.size(); token++) {
                    assertArrayEquals(
                            alone.get(token), rows.get(token), "token " + token + " of " + guess);
                }
                for (Shard shard : chain.shards()) {
                    shard.change(settled(position, guess.right())).join();
                }
                position += guess.right().length();
            }

            Map<Integer, byte[]> expected = chain.export(PLAIN, position);
            Map<Integer, byte[]> found = chain.export(GUESSED, position);

            assertEquals(expected.keySet(), found.keySet());
            expected.forEach(
                    (layer, bytes) -> assertArrayEquals(bytes, found.get(layer), "layer " + layer));
        }
    }

    /**
     * Returns the logits of each token after the tokens that it follows. The runs change no state
     * that the test compares.
     */
    private static List<float[]> alone(ShardChain chain, int position, Guess guess) {
        List<float[]> alone = new ArrayList<>();
        for (int token = 0; token < guess.tokens().length; token++) {
            alone.add(run(chain, position, guess.along(token), TokenTree.CHAIN, ASIDE).getLast());
        }
        return alone;
    }

    private static float[] plain(ShardChain chain, int token, int position) {
        SequenceChunk chunk =
                new SequenceChunk(
                        1,
                        new int[] {token},
                        ChunkPlacement.next(position, PLAIN.span(), PLAIN.stateRow()),
                        RequestedOutput.ALL);
        return chain.run(new Batch(List.of(chunk), Phase.DECODE)).logits().getFirst();
    }

    private static ShardChain load(RandomModel spec, GgmlType cache, String device)
            throws Exception {
        CacheTypes types = new CacheTypes(cache, cache);
        SplitModel model =
                SplitModel.of(
                        spec.write(models),
                        Cpu.settings(512, 1, types),
                        BoundaryType.F32,
                        other -> {
                            throw new IllegalStateException("all is here");
                        });
        return ShardChain.load(
                model,
                types,
                BatchInvariance.ON,
                List.of(),
                List.of(device, device),
                model.cuts().getFirst());
    }
}
