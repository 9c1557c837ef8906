package dev.varve.platform.shard.local;

import dev.varve.platform.shard.BatchInvariance;

import java.util.ArrayList;
import java.util.List;

/** Adjacent columns of a batch: consecutive rows, or one chunk (see {@link BatchInvariance}). */
record ColumnRun(int first, int count, boolean rows) {
    /** The runs of all tokens of a batch. */
    static List<ColumnRun> ofTokens(GraphKey key) {
        List<ColumnRun> runs = new ArrayList<>();
        for (GraphKey.ChunkShape part : key.parts()) {
            append(runs, part.tokens(), part.rows());
        }
        return runs;
    }

    /** The runs of the columns whose outputs are requested. A single one is computed like a row. */
    static List<ColumnRun> ofOutputs(GraphKey key) {
        List<ColumnRun> runs = new ArrayList<>();
        for (GraphKey.ChunkShape part : key.parts()) {
            append(runs, part.outputs(), part.rows() || part.outputs() == 1);
        }
        return runs;
    }

    private static void append(List<ColumnRun> runs, int count, boolean rows) {
        if (count == 0) {
            return;
        }
        ColumnRun last = runs.isEmpty() ? new ColumnRun(0, 0, false) : runs.getLast();
        if (rows && last.rows) {
            runs.set(runs.size() - 1, new ColumnRun(last.first, last.count + count, true));
        } else {
            runs.add(new ColumnRun(last.first + last.count, count, rows));
        }
    }
}
