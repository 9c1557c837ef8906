package dev.varve.platform.mtp;

import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.CapturedFeature;
import dev.varve.platform.shard.FakeShard;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.RequestedOutput;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.ShardMemory;
import dev.varve.platform.shard.ShardResult;
import dev.varve.platform.shard.StateCommit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;

/**
 * An MTP block whose draft token is a hash of all rows of its sequence in the cache: an extra row,
 * a missing row or a row with another state gives another draft token. The shard refuses rows after
 * a gap, and overwritten rows without a rewind of the windows.
 */
final class ColumnShard extends FakeShard {
    /**
     * A row: a token and the hidden states beside it.
     *
     * @param column hidden states beside the token
     */
    record Row(int token, float[] column) {
        private int hash() {
            return 31 * Arrays.hashCode(column) + token;
        }

        /**
         * Hash of the part that later rows depend on. An assistant attends to keys and values of
         * the model's states, which are the same for all draft tokens at a position.
         */
        private int kept(MtpFile file) {
            return file.samePosition()
                    ? Arrays.hashCode(Arrays.copyOf(column, column.length - 2 * file.width()))
                    : hash();
        }
    }

    /**
     * The output of the block after some rows.
     *
     * @param state of the block itself
     */
    record Reply(int token, float[] state) {
        static Reply of(List<Row> rows, MtpFile file) {
            int hash = rows.getLast().hash();
            for (Row row : rows) {
                hash = 31 * hash + row.kept(file);
            }
            Random random = new Random(hash);
            int token = random.nextInt(file.target().vocabularySize());
            float[] state = new float[file.width()];
            for (int i = 0; i < state.length; i++) {
                state[i] = random.nextFloat();
            }
            return new Reply(token, state);
        }
    }

    /** Batches in the order in which they were computed. */
    final List<Batch> batches = new ArrayList<>();

    private final MtpFile file;
    private final Map<Integer, List<Row>> cache = new HashMap<>();

    /** Whether the shard returns -1 instead of a draft token, as for logits that are NaN. */
    private boolean broken;

    private int closed;

    ColumnShard(MtpFile file) {
        super(file.range(), "fake:0", new Object());
        this.file = file;
    }

    /** From now on the shard acts as if its logits were NaN. */
    void breakDown() {
        broken = true;
    }

    int timesClosed() {
        return closed;
    }

    @Override
    public ShardMemory memory() {
        return new ShardMemory(1000, 500, 30, 4);
    }

    @Override
    public CompletableFuture<ShardResult> forward(
            Batch batch, Optional<LayerActivations> boundary) {
        batches.add(batch);
        float[] columns = boundary.orElseThrow().values();
        int length = columns.length / batch.tokens();
        if (length != file.columnLength() || boundary.get().tokens() != batch.tokens()) {
            throw new AssertionError(columns.length + " numbers for " + batch.tokens() + " tokens");
        }
        List<Reply> replies = new ArrayList<>();
        List<Integer> best = new ArrayList<>();
        int token = 0;
        for (SequenceChunk chunk : batch.chunks()) {
            List<Row> rows = rows(chunk, batch.changes().commits());
            for (int id : chunk.tokens()) {
                rows.add(
                        new Row(id, Arrays.copyOfRange(columns, token * length, ++token * length)));
                replies.add(Reply.of(rows, file));
            }
            if (chunk.outputs() == RequestedOutput.BEST) {
                best.add(broken ? -1 : replies.getLast().token());
            }
        }
        return CompletableFuture.completedFuture(result(batch, replies, best));
    }

    /** The rows in front of a chunk. */
    private List<Row> rows(SequenceChunk chunk, List<StateCommit> commits) {
        List<Row> rows = cache.computeIfAbsent(chunk.slots().begin(), begin -> new ArrayList<>());
        int position = chunk.firstPosition();
        if (position > rows.size()) {
            throw new AssertionError("row " + position + " behind " + rows.size() + " rows");
        }
        boolean rewound =
                commits.stream()
                        .anyMatch(
                                commit ->
                                        commit.writeRow() == chunk.writeRow()
                                                && commit.readRow() == chunk.writeRow()
                                                && commit.end() == position);
        boolean anew = position > 0 && position < rows.size();
        if (anew != rewound) {
            throw new AssertionError(
                    "row " + position + " of " + rows.size() + ", windows rewound: " + rewound);
        }
        rows.subList(position, rows.size()).clear();
        return rows;
    }

    private ShardResult result(Batch batch, List<Reply> replies, List<Integer> best) {
        List<CapturedFeature> features = new ArrayList<>();
        for (int layer : batch.captures()) {
            float[] values = new float[replies.size() * file.width()];
            for (int i = 0; i < replies.size(); i++) {
                System.arraycopy(replies.get(i).state(), 0, values, i * file.width(), file.width());
            }
            features.add(new CapturedFeature(layer, values, replies.size()));
        }
        int[] ids = best.stream().mapToInt(Integer::intValue).toArray();
        return new ShardResult(new float[0], ids, ids.length, Optional.empty(), features);
    }

    @Override
    public void close() {
        closed++;
    }
}
