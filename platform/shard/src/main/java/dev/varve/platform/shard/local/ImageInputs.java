package dev.varve.platform.shard.local;

import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.SequenceChunk;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * Inputs of a graph whose batch has image tokens.
 *
 * @param rows of the images, {@code F32 [width, count]}
 * @param columns of the batch that they replace, {@code I32 [count]}
 */
record ImageInputs(Tensor rows, Tensor columns) {
    static ImageInputs declare(GgmlContext context, int width, int count) {
        return new ImageInputs(
                context.newTensor(GgmlType.F32, width, count).named("image_rows").markInput(),
                context.newTensor(GgmlType.I32, count).named("image_columns").markInput());
    }

    List<Tensor> tensors() {
        return List.of(rows, columns);
    }

    /**
     * Writes the rows and columns of a batch.
     *
     * @param written the tensor into which an input is written
     */
    void fill(Batch batch, UnaryOperator<Tensor> written) {
        Tensor target = written.apply(rows);
        int width = (int) rows.ne(0);
        int[] places = new int[(int) columns.ne(0)];
        int done = 0;
        int column = 0;
        for (SequenceChunk chunk : batch.chunks()) {
            done = fill(chunk, column, target, width, places, done);
            column += chunk.tokens().length;
        }
        written.apply(columns).write(places, 0, places.length, 0);
    }

    private static int fill(
            SequenceChunk chunk, int column, Tensor target, int width, int[] places, int before) {
        int[] done = {before};
        int begin = chunk.firstPosition();
        chunk.images()
                .forEachRun(
                        begin,
                        begin + chunk.tokens().length,
                        (index, count, rows, first) -> {
                            target.write(
                                    rows, first * width, count * width, (long) done[0] * width);
                            for (int i = 0; i < count; i++) {
                                places[done[0]++] = column + index - begin + i;
                            }
                        });
        return done[0];
    }
}
