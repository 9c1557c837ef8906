package dev.varve.platform.shard.local;

import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.RowReader;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.Batch;
import dev.varve.platform.shard.LayerActivations;
import dev.varve.platform.shard.SequenceChunk;
import dev.varve.platform.shard.lora.LoraFactor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * Creates the input tensors of a recorded graph and writes a batch into them. An input is created
 * when the graph first requests it. Runs per step: buffers are reused, and all inputs are written
 * every time because the allocator may reuse their memory after they were read.
 */
final class GraphInputs {
    private static final int AXES = 4;

    /** Number of floats of table rows that are written to the device at once. */
    private static final int ROW_FLOATS = 1 << 18;

    /** Rows of a host table, one per token. */
    private record TableRows(RowReader table, Tensor tensor) {}

    /** A factor per token that depends on its position. */
    private record PositionFactor(int interval, float growth, Tensor tensor) {
        float at(int position) {
            float steps = (float) Math.floor((float) position / interval);
            return (float) Math.log(steps + 1) * growth + 1;
        }
    }

    /** The columns of a product whose factors differ. */
    private enum FactorColumns {
        /** Any: all tokens are of one sequence. */
        COMMON,
        TOKENS,
        OUTPUTS
    }

    /** Factors of an adapter's terms, one for each column. */
    private record AdapterFactors(LoraFactor factor, FactorColumns columns, Tensor tensor) {}

    private final GgmlContext context;
    private final GraphKey key;
    private final int tokens;
    private final int boundaryLength;
    private final AttentionInputs full;
    private final AttentionInputs sliding;
    private Optional<Tensor> ids = Optional.empty();
    private Optional<Tensor> positions = Optional.empty();
    private Optional<Tensor> nextPositions = Optional.empty();
    private Optional<Tensor> axisPositions = Optional.empty();
    private Optional<Tensor> boundary = Optional.empty();
    private Optional<Tensor> outputs = Optional.empty();
    private Optional<ImageInputs> images = Optional.empty();
    private final List<TableRows> rows = new ArrayList<>();
    private final List<TreeInput> trees = new ArrayList<>();
    private final List<PositionFactor> positionFactors = new ArrayList<>();
    private final List<AdapterFactors> adapterFactors = new ArrayList<>();
    private final Map<Integer, Tensor> numbers = new TreeMap<>();
    private int firstOutputColumn;
    private float[] rowScratch = new float[0];
    private final int[] intScratch;

    /**
     * @param boundaryLength elements per token of the activation that enters the shard
     * @param window positions that a token of a sliding layer attends to
     */
    GraphInputs(GgmlContext context, GraphKey key, int boundaryLength, int window) {
        this.context = context;
        this.key = key;
        this.boundaryLength = boundaryLength;
        tokens = key.tokens();
        intScratch = new int[AXES * tokens];
        List<AttentionInputs.Part> fullParts = new ArrayList<>();
        List<AttentionInputs.Part> slidingParts = new ArrayList<>();
        for (GraphKey.ChunkShape part : key.parts()) {
            fullParts.add(new AttentionInputs.Part(part.columns(), part.full()));
            slidingParts.add(new AttentionInputs.Part(part.columns(), part.window()));
        }
        full = new AttentionInputs(context, fullParts, Integer.MAX_VALUE);
        sliding = new AttentionInputs(context, slidingParts, window);
    }

    /** Inputs of the full attention layers. */
    AttentionInputs full() {
        return full;
    }

    /** Inputs of the sliding layers. */
    AttentionInputs sliding() {
        return sliding;
    }

    Tensor ids() {
        ids = Optional.of(ids.orElseGet(() -> input("ids", GgmlType.I32, tokens)));
        return ids.get();
    }

    /** The rows of the batch's tokens in a table on the host, {@code F32 [rowLength, T]}. */
    Tensor rows(RowReader table) {
        for (TableRows known : rows) {
            if (known.table() == table) {
                return known.tensor();
            }
        }
        Tensor tensor = input("rows", GgmlType.F32, table.rowLength(), tokens);
        rows.add(new TableRows(table, tensor));
        return tensor;
    }

    Tensor positions() {
        positions =
                Optional.of(positions.orElseGet(() -> input("positions", GgmlType.I32, tokens)));
        return positions.get();
    }

    Tensor nextPositions() {
        nextPositions =
                Optional.of(
                        nextPositions.orElseGet(
                                () -> input("next_positions", GgmlType.I32, tokens)));
        return nextPositions.get();
    }

    Tensor axisPositions() {
        axisPositions =
                Optional.of(
                        axisPositions.orElseGet(
                                () -> input("axis_positions", GgmlType.I32, (long) AXES * tokens)));
        return axisPositions.get();
    }

    /** Whether the graph reads the rows of images. */
    boolean hasImages() {
        return images.isPresent();
    }

    /** Rows of the batch's images. */
    ImageInputs images(int width) {
        images =
                Optional.of(
                        images.orElseGet(() -> ImageInputs.declare(context, width, key.images())));
        return images.get();
    }

    /** {@code F32 [1, 1, T]}, see {@link dev.varve.api.model.ShardGraph#positionFactor}. */
    Tensor positionFactor(int interval, float growth) {
        for (PositionFactor known : positionFactors) {
            if (known.interval() == interval && known.growth() == growth) {
                return known.tensor();
            }
        }
        Tensor tensor = input("position_factor", GgmlType.F32, 1, 1, tokens);
        positionFactors.add(new PositionFactor(interval, growth, tensor));
        return tensor;
    }

    /**
     * Factors of an adapter's terms for the columns of a product: {@code F32 [1, columns]}, or
     * {@code F32 [1, 1]} if they are the same for all.
     *
     * @param columns number of columns, those of all tokens or of all outputs if the batch has
     *     several sequences
     */
    Tensor adapterFactors(LoraFactor factor, long columns) {
        FactorColumns which = factorColumns(columns);
        for (AdapterFactors known : adapterFactors) {
            if (known.columns() == which && known.factor().equals(factor)) {
                return known.tensor();
            }
        }
        long count = which == FactorColumns.COMMON ? 1 : columns;
        Tensor tensor = input("adapter_factors", GgmlType.F32, 1, count);
        adapterFactors.add(new AdapterFactors(factor, which, tensor));
        return tensor;
    }

    private FactorColumns factorColumns(long columns) {
        if (key.parts().size() == 1) {
            return FactorColumns.COMMON;
        }
        if (columns == tokens) {
            return FactorColumns.TOKENS;
        }
        if (columns == key.outputs()) {
            return FactorColumns.OUTPUTS;
        }
        throw new IllegalArgumentException(
                "adapters: expected a product of "
                        + tokens
                        + " tokens or "
                        + key.outputs()
                        + " outputs, found "
                        + columns
                        + " columns");
    }

    /** 0 to {@code count - 1}, {@code I32 [count]}. */
    Tensor numbers(int count) {
        return numbers.computeIfAbsent(count, most -> input("numbers", GgmlType.I32, most));
    }

    Tensor boundary() {
        boundary =
                Optional.of(
                        boundary.orElseGet(
                                () -> input("boundary", GgmlType.F32, boundaryLength, tokens)));
        return boundary.get();
    }

    /**
     * Columns whose outputs are requested.
     *
     * @param dropped columns at the front that were dropped before
     */
    Tensor outputs(int dropped) {
        firstOutputColumn = dropped;
        outputs =
                Optional.of(outputs.orElseGet(() -> input("outputs", GgmlType.I32, key.outputs())));
        return outputs.get();
    }

    /** Creates an input that the caller writes. */
    Tensor input(String name, GgmlType type, long... shape) {
        return context.newTensor(type, shape).named(name).markInput();
    }

    /**
     * Returns an input with indexes that describe token trees.
     *
     * @param part the first chunk
     * @param chunkCount number of consecutive chunks
     * @param length indexes per chunk
     */
    Tensor tree(TreeInput.Kind kind, int part, int chunkCount, int length) {
        for (TreeInput known : trees) {
            if (known.kind() == kind && known.part() == part && known.tensor().ne(0) == length) {
                return known.tensor();
            }
        }
        TreeInput input = TreeInput.declare(context, kind, part, chunkCount, length);
        trees.add(input);
        return input.tensor();
    }

    /** Writes the activation of the previous shard. */
    void writeBoundary(LayerActivations given) {
        boundary.filter(Tensor::isPlaced)
                .ifPresent(
                        tensor -> {
                            if (given instanceof DeviceActivations there) {
                                there.ring().get(there, tensor);
                            } else {
                                tensor.write(given.values(), 0, given.tokens() * boundaryLength, 0);
                            }
                        });
    }

    /** All inputs that were created, except the activation. */
    List<Tensor> exceptBoundary() {
        List<Tensor> tensors = new ArrayList<>();
        for (Optional<Tensor> each :
                List.of(ids, positions, nextPositions, axisPositions, outputs)) {
            each.ifPresent(tensors::add);
        }
        images.ifPresent(each -> tensors.addAll(each.tensors()));
        rows.forEach(each -> tensors.add(each.tensor()));
        trees.forEach(each -> tensors.add(each.tensor()));
        positionFactors.forEach(each -> tensors.add(each.tensor()));
        adapterFactors.forEach(each -> tensors.add(each.tensor()));
        tensors.addAll(numbers.values());
        tensors.addAll(full.tensors());
        tensors.addAll(sliding.tensors());
        return tensors;
    }

    /**
     * Writes the inputs that depend on the ids of the tokens.
     *
     * @param written the tensor into which an input is written
     */
    void fillTokens(Batch batch, UnaryOperator<Tensor> written) {
        ids.filter(Tensor::isPlaced).ifPresent(tensor -> writeIds(batch, written.apply(tensor)));
        images.ifPresent(each -> each.fill(batch, written));
        for (TableRows each : rows) {
            if (each.tensor().isPlaced()) {
                writeRows(batch, each.table(), written.apply(each.tensor()));
            }
        }
    }

    /**
     * Writes the inputs that depend on positions, slots and trees, but not on ids.
     *
     * @param written the tensor into which an input is written
     */
    void fillPlaces(PlacedBatch placed, UnaryOperator<Tensor> written) {
        Batch batch = placed.batch();
        positions
                .filter(Tensor::isPlaced)
                .ifPresent(tensor -> writePositions(batch, written.apply(tensor), 0));
        nextPositions
                .filter(Tensor::isPlaced)
                .ifPresent(tensor -> writePositions(batch, written.apply(tensor), 1));
        axisPositions
                .filter(Tensor::isPlaced)
                .ifPresent(tensor -> writeAxisPositions(batch, written.apply(tensor)));
        outputs.filter(Tensor::isPlaced)
                .ifPresent(tensor -> writeOutputs(batch, written.apply(tensor)));
        for (TreeInput each : trees) {
            if (each.tensor().isPlaced()) {
                each.write(batch.chunks(), written.apply(each.tensor()));
            }
        }
        for (PositionFactor each : positionFactors) {
            if (each.tensor().isPlaced()) {
                writeFactors(batch, each, written.apply(each.tensor()));
            }
        }
        for (AdapterFactors each : adapterFactors) {
            if (each.tensor().isPlaced()) {
                writeFactors(batch, each, written.apply(each.tensor()));
            }
        }
        numbers.values().stream()
                .filter(Tensor::isPlaced)
                .forEach(tensor -> writeNumbers(written.apply(tensor)));
        full.fill(batch.chunks(), placed.full(), written);
        sliding.fill(batch.chunks(), placed.window(), written);
    }

    private void writeIds(Batch batch, Tensor tensor) {
        int column = 0;
        for (SequenceChunk chunk : batch.chunks()) {
            int[] known = chunk.imageTokens() == 0 ? chunk.tokens() : standIns(chunk.tokens());
            tensor.write(known, 0, known.length, column);
            column += known.length;
        }
    }

    /** Tokens of images have no row in a table: they look up the first one. */
    private static int[] standIns(int[] tokens) {
        int[] known = tokens.clone();
        for (int i = 0; i < known.length; i++) {
            known[i] = Math.max(known[i], 0);
        }
        return known;
    }

    /** Converts some rows at a time, so that a long prompt needs no second copy of all rows. */
    private void writeRows(Batch batch, RowReader table, Tensor target) {
        int length = table.rowLength();
        int group = Math.min(tokens, Math.max(1, ROW_FLOATS / length));
        if (rowScratch.length < group * length) {
            rowScratch = new float[group * length];
        }
        int column = 0;
        int held = 0;
        for (SequenceChunk chunk : batch.chunks()) {
            for (int token : chunk.tokens()) {
                table.read(Math.max(token, 0), rowScratch, held * length);
                held++;
                if (held == group || column + held == tokens) {
                    target.write(rowScratch, 0, held * length, (long) column * length);
                    column += held;
                    held = 0;
                }
            }
        }
    }

    private void writePositions(Batch batch, Tensor tensor, int ahead) {
        collectPositions(batch, ahead);
        tensor.write(intScratch, 0, tokens, 0);
    }

    /** Text has the same position on the time, height and width axes and 0 on the fourth. */
    private void writeAxisPositions(Batch batch, Tensor tensor) {
        collectPositions(batch, 0);
        System.arraycopy(intScratch, 0, intScratch, tokens, tokens);
        System.arraycopy(intScratch, 0, intScratch, 2 * tokens, tokens);
        Arrays.fill(intScratch, 3 * tokens, 4 * tokens, 0);
        collectImagePositions(batch);
        tensor.write(intScratch, 0, AXES * tokens, 0);
    }

    private void collectImagePositions(Batch batch) {
        int column = 0;
        for (SequenceChunk chunk : batch.chunks()) {
            if (chunk.imageTokens() > 0) {
                for (int i = 0; i < chunk.tokens().length; i++) {
                    int index = chunk.position(i);
                    intScratch[tokens + column + i] = chunk.images().height(index);
                    intScratch[2 * tokens + column + i] = chunk.images().width(index);
                }
            }
            column += chunk.tokens().length;
        }
    }

    private void collectPositions(Batch batch, int ahead) {
        int column = 0;
        for (SequenceChunk chunk : batch.chunks()) {
            for (int i = 0; i < chunk.tokens().length; i++) {
                intScratch[column++] = chunk.images().time(chunk.position(i) + ahead);
            }
        }
    }

    private void writeFactors(Batch batch, PositionFactor factor, Tensor tensor) {
        collectPositions(batch, 0);
        float[] factors = new float[tokens];
        for (int i = 0; i < tokens; i++) {
            factors[i] = factor.at(intScratch[i]);
        }
        tensor.write(factors, 0, tokens, 0);
    }

    private void writeFactors(Batch batch, AdapterFactors given, Tensor tensor) {
        float[] factors = new float[(int) tensor.ne(1)];
        int column = 0;
        for (SequenceChunk chunk : batch.chunks()) {
            int count =
                    switch (given.columns()) {
                        case COMMON -> 1;
                        case TOKENS -> chunk.tokens().length;
                        case OUTPUTS -> chunk.outputCount();
                    };
            Arrays.fill(factors, column, column + count, given.factor().of(chunk.lora()));
            column += count;
        }
        tensor.write(factors, 0, factors.length, 0);
    }

    private void writeNumbers(Tensor tensor) {
        int count = (int) tensor.ne(0);
        for (int i = 0; i < count; i++) {
            intScratch[i] = i;
        }
        tensor.write(intScratch, 0, count, 0);
    }

    private void writeOutputs(Batch batch, Tensor tensor) {
        int column = 0;
        int count = 0;
        for (SequenceChunk chunk : batch.chunks()) {
            int last = column + chunk.tokens().length;
            for (int i = last - chunk.outputCount(); i < last; i++) {
                intScratch[count++] = i - firstOutputColumn;
            }
            column = last;
        }
        tensor.write(intScratch, 0, count, 0);
    }
}
