package dev.varve.platform.draft;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * A draft model whose draft tokens are a hash of the known token, its position and all visible
 * context rows. A row with other states gives other draft tokens. A missing row or a row of another
 * position is an error.
 */
final class HashingDraftModel implements BlockDraftModel {
    /**
     * Sizes of the draft model, and the probabilities of its draft tokens.
     *
     * @param draftTokens draft tokens per block
     * @param rows of the head
     * @param chance of each draft token in order; empty if the draft model reports none
     */
    record Kind(int draftTokens, int rows, float[] chance) {}

    /**
     * A context row.
     *
     * @param states of its token, of all layers
     */
    private record Row(int position, float[] states) {}

    /** Number of hidden states that each call added. */
    final List<Integer> takenIn = new ArrayList<>();

    /** Regions that each call drafted for. */
    final List<List<Integer>> guessed = new ArrayList<>();

    /** Whether each call requested branches. */
    final List<Boolean> branched = new ArrayList<>();

    private final DraftRegions regions;
    private final Kind kind;
    private final Map<Long, Row> cache = new HashMap<>();
    private int closed;

    HashingDraftModel(DraftRegions regions, Kind kind) {
        this.regions = regions;
        this.kind = kind;
    }

    /**
     * Returns the draft tokens by their plain definition.
     *
     * @param context states of each position before the known token, the oldest first
     */
    static BlockDraftGraph.BlockDraft guess(
            Kind kind, int token, int position, List<float[]> context, boolean branches) {
        int hash = 31 * token + position;
        for (float[] states : context) {
            hash = 31 * hash + Arrays.hashCode(states);
        }
        Random random = new Random(hash);
        int[] rows = random.ints(kind.draftTokens(), 0, kind.rows()).toArray();
        return new BlockDraftGraph.BlockDraft(
                rows, kind.chance(), branches ? Optional.of(slots(rows, kind)) : Optional.empty());
    }

    /** Returns two candidates per draft token: its row in the head and the next row. */
    private static BlockCandidates slots(int[] rows, Kind kind) {
        int[][] candidates = new int[rows.length][];
        float[][] shares = new float[rows.length][];
        for (int i = 0; i < rows.length; i++) {
            candidates[i] = new int[] {rows[i], (rows[i] + 1) % kind.rows()};
            shares[i] = new float[] {0.6f, 0.3f};
        }
        return new BlockCandidates(candidates, shares, Optional.empty());
    }

    @Override
    public long contextRow(int region, int position) {
        return regions.contextRow(region, position);
    }

    @Override
    public void addFeatures(PendingHiddenStates states) {
        takenIn.add(states.count());
        int length = states.states().length / states.rows().length;
        for (int i = 0; i < states.count(); i++) {
            float[] own = Arrays.copyOfRange(states.states(), i * length, (i + 1) * length);
            cache.put(states.rows()[i], new Row(states.positions()[i], own));
        }
    }

    @Override
    public List<BlockDraftGraph.BlockDraft> draft(
            List<Integer> regions, List<BlockDraftGraph.Block> asked, boolean branches) {
        guessed.add(regions);
        branched.add(branches);
        List<BlockDraftGraph.BlockDraft> found = new ArrayList<>();
        for (int i = 0; i < asked.size(); i++) {
            BlockDraftGraph.Block block = asked.get(i);
            List<float[]> context = new ArrayList<>();
            for (int position = block.begin(); position < block.position(); position++) {
                Row row = cache.get(contextRow(regions.get(i), position));
                if (row == null || row.position() != position) {
                    throw new AssertionError("position " + position + " is not there: " + row);
                }
                context.add(row.states());
            }
            found.add(guess(kind, block.token(), block.position(), context, branches));
        }
        return found;
    }

    int timesClosed() {
        return closed;
    }

    @Override
    public long bytes() {
        return 77;
    }

    @Override
    public void close() {
        closed++;
    }
}
