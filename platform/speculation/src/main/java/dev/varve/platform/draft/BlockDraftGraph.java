package dev.varve.platform.draft;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.AttentionOptions;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.RowReader;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.shard.local.ShardWeights;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Graph that drafts a block for each of some sequences: its input is the known token and masks, its
 * output is the draft tokens of the network. Each block attends to its own sequence only.
 */
final class BlockDraftGraph implements DraftGraph {
    private static final int TENSORS_PER_LAYER = 40;
    private static final int TENSORS_PER_SEQUENCE = 12;

    /**
     * Key by which a graph is reused.
     *
     * @param regions of the cache, one for each sequence
     * @param rows number of rows that are read of each region
     * @param flash whether flash attention is used
     * @param branches whether other candidates of each slot are requested
     */
    record Key(List<Integer> regions, List<Integer> rows, boolean flash, boolean branches) {
        Key {
            regions = List.copyOf(regions);
            rows = List.copyOf(rows);
        }

        int sequences() {
            return regions.size();
        }
    }

    private final Key key;
    private final DraftHyperparameters network;
    private final DraftCache cache;
    private final int columns;
    private final GgmlContext context;
    private final Graph graph;
    private final Optional<RowReader> table;
    private final Tensor tokens;
    private final Tensor positions;
    private final Tensor rows;
    private final Tensor draftSlots;

    /** One per sequence, by attention rule. */
    private final Map<DraftHyperparameters.LayerAttention, List<Tensor>> masks =
            new LinkedHashMap<>();

    private final Optional<BlockTokenDecoder.InputTensors> decoderInputs;
    private final Optional<int[]> targets;
    private final BlockTokenDecoder.OutputTensors decoded;

    /**
     * @param targets the target's token of each row of the head, if they differ
     */
    BlockDraftGraph(
            Key key,
            DraftFile draft,
            ShardWeights weights,
            DraftCache cache,
            Optional<int[]> targets) {
        this.key = key;
        this.cache = cache;
        this.targets = targets;
        network = draft.network();
        columns = key.sequences() * network.block().tokens();
        // There is one set of masks per rule, and at most as many rules as layers.
        int tensors =
                TENSORS_PER_LAYER
                        + network.layers() * tensorsPerLayer()
                        + BlockTokenDecoder.tensors(network, weights, key.sequences())
                        + weights.tensorsOfTiles(columns);
        context = GgmlContext.open(tensors, tensors);
        try {
            graph = context.newGraph(tensors);
            table = weights.hostTable(draft.embedding().name());
            tokens =
                    table.isPresent()
                            ? input(GgmlType.F32, network.sizes().hidden(), columns)
                            : input(GgmlType.I32, columns);
            positions = input(GgmlType.I32, columns);
            rows = input(GgmlType.I64, columns);
            draftSlots = input(GgmlType.I32, (long) key.sequences() * network.draftTokens());
            decoderInputs =
                    BlockTokenDecoder.isWalk(network.method())
                            ? Optional.of(
                                    BlockTokenDecoder.InputTensors.declare(
                                            context, key.sequences(), targets))
                            : Optional.empty();
            for (DraftHyperparameters.LayerAttention rule : network.rules()) {
                masks.computeIfAbsent(rule, unknown -> masks());
            }
            decoded = record(new DraftOperators(context.ops(), weights, draft), weights, draft);
        } catch (RuntimeException | Error e) {
            context.close();
            throw e;
        }
    }

    private Tensor input(GgmlType type, long... extents) {
        return context.newTensor(type, extents).markInput();
    }

    private List<Tensor> masks() {
        List<Tensor> all = new ArrayList<>();
        for (int count : key.rows()) {
            all.add(input(GgmlType.F16, count, network.block().tokens()));
        }
        return all;
    }

    private int tensorsPerLayer() {
        int filters =
                network.method() instanceof BlockDecoding.Selector selector
                        ? BlockConvolution.SubLayer.values().length
                                * BlockConvolution.tensors(selector.convolution())
                        : 0;
        return TENSORS_PER_LAYER + TENSORS_PER_SEQUENCE * key.sequences() + filters;
    }

    private BlockTokenDecoder.OutputTensors record(
            DraftOperators layers, ShardWeights weights, DraftFile draft) {
        Ops ops = context.ops();
        Tensor embedded =
                table.isPresent()
                        ? tokens
                        : ops.getRows(
                                weights.get(draft.embedding().name(), TensorUse.ROW_LOOKUP),
                                tokens);
        float scale = network.variant().embeddingScale();
        Tensor hidden = scale == 1 ? embedded : ops.scale(embedded, scale);
        int length = network.heads().keyLength();
        for (int layer = 0; layer < network.layers(); layer++) {
            Tensor normed = layers.input(layer, hidden);
            BlockConvolution filter = layers.filter(BlockConvolution.SubLayer.ATTN, layer, normed);
            Tensor input = filter.before(normed);
            Tensor queries = layers.queries(layer, input, positions);
            Tensor keys = ops.reshape2d(layers.keys(layer, input, positions), length, columns);
            Tensor values = layers.values(layer, input);
            graph.expand(queries);
            graph.expand(ops.setRows(cache.layer(layer).keys(), keys, rows));
            graph.expand(ops.setRows(cache.layer(layer).values(), values, rows));
            Tensor attended = attend(layers, layer, queries);
            hidden = layers.finish(layer, hidden, input, attended, filter);
        }
        Tensor states = layers.norm(ops.getRows(hidden, draftSlots), DraftTensorNames.OUTPUT_NORM);
        BlockTokenDecoder own =
                new BlockTokenDecoder(
                        layers, weights, draft.head().name(), key.sequences(), key.branches());
        BlockTokenDecoder.OutputTensors result =
                switch (network.method()) {
                    case BlockDecoding.Plain plain -> own.each(states);
                    case BlockDecoding.Markov markov ->
                            own.follow(markov, states, decoderInputs.orElseThrow());
                    case BlockDecoding.Selector selector ->
                            own.select(selector, states, decoderInputs.orElseThrow());
                };
        graph.expand(result.rows().markOutput());
        result.probabilities().ifPresent(probabilities -> graph.expand(probabilities.markOutput()));
        result.lattice().ifPresent(lattice -> lattice.expand(graph));
        return result;
    }

    /** {@code F32 [length, heads, columns]}. */
    private Tensor attend(DraftOperators layers, int layer, Tensor queries) {
        Ops ops = context.ops();
        int block = network.block().tokens();
        List<Tensor> own = masks.get(network.rules().get(layer));
        Tensor all = null;
        for (int i = 0; i < key.sequences(); i++) {
            Tensor some =
                    ops.view(
                            queries,
                            Extents.of(queries.ne(0), queries.ne(1), block),
                            Strides.of(queries.nb(1), queries.nb(2)),
                            (long) i * block * queries.nb(2));
            int begin = cache.regions().begin(key.regions().get(i));
            Tensor attended =
                    attend(
                            ops.permute(some, 0, 2, 1, 3),
                            layers.cached(cache.layer(layer).keys(), begin, key.rows().get(i)),
                            layers.cached(cache.layer(layer).values(), begin, key.rows().get(i)),
                            own.get(i),
                            layers.sinks(layer));
            all = all == null ? attended : ops.concat(all, attended, 2);
        }
        return all;
    }

    private Tensor attend(
            Tensor queries, Tensor keys, Tensor values, Tensor mask, Optional<Tensor> sinks) {
        Ops ops = context.ops();
        float scale = network.heads().scale();
        if (key.flash()) {
            AttentionOptions options = AttentionOptions.scaled(scale);
            return sinks.isPresent()
                    ? ops.flashAttention(queries, keys, values, mask, options, sinks.get())
                    : ops.flashAttention(queries, keys, values, Optional.of(mask), options);
        }
        // Not all devices support views as operands of a product.
        Tensor scores = ops.mulMat(ops.cont(keys), ops.cont(queries));
        Tensor shares =
                sinks.isPresent()
                        ? ops.softMaxExt(scores, mask, scale, sinks.get())
                        : ops.softMaxExt(scores, Optional.of(mask), scale);
        Tensor attended = ops.mulMat(ops.cont(ops.transpose(values)), shares);
        return ops.cont(ops.permute(attended, 0, 2, 1, 3));
    }

    @Override
    public Graph graph() {
        return graph;
    }

    /**
     * A block to draft.
     *
     * @param token the known one
     * @param begin first available position of the context
     * @param position of the known token
     */
    record Block(int token, int begin, int position) {}

    /**
     * Draft of a block.
     *
     * @param rows of the head, one for each draft token
     * @param probabilities that each is accepted if those before it are; empty if the network does
     *     not output them
     * @param slots other candidates of each slot, if requested
     */
    record BlockDraft(int[] rows, float[] probabilities, Optional<BlockCandidates> slots) {}

    /**
     * Computes the drafts.
     *
     * @param blocks in the order of the key's regions
     */
    List<BlockDraft> compute(List<Block> blocks, ComputeDevice device) {
        int block = network.block().tokens();
        int sequences = key.sequences();
        int[] known = new int[sequences];
        int[] ids = new int[columns];
        int[] at = new int[columns];
        long[] into = new long[columns];
        int[] outputs = new int[sequences * network.draftTokens()];
        for (int i = 0; i < sequences; i++) {
            known[i] = blocks.get(i).token();
            for (int slot = 0; slot < block; slot++) {
                int column = i * block + slot;
                ids[column] = slot == 0 ? known[i] : network.block().mask();
                at[column] = blocks.get(i).position() + slot;
                into[column] = cache.regions().blockRow(key.regions().get(i), slot);
            }
            for (int guess = 0; guess < network.draftTokens(); guess++) {
                outputs[guess * sequences + i] = i * block + network.firstPredictingSlot() + guess;
            }
        }
        writeTokens(ids);
        positions.write(at, 0, columns, 0);
        rows.write(into, 0, columns, 0);
        draftSlots.write(outputs, 0, outputs.length, 0);
        masks.forEach((rule, tensors) -> writeMasks(rule, tensors, blocks));
        decoderInputs.ifPresent(inputs -> inputs.write(known, targets));
        device.compute(graph, Phase.DECODE);
        return read();
    }

    private List<BlockDraft> read() {
        int sequences = key.sequences();
        int[] all = new int[sequences * network.draftTokens()];
        decoded.rows().read(all, 0, all.length, 0);
        float[] probabilities = new float[decoded.probabilities().isPresent() ? all.length : 0];
        decoded.probabilities()
                .ifPresent(tensor -> tensor.read(probabilities, 0, probabilities.length, 0));
        List<BlockDraft> found = new ArrayList<>();
        for (int i = 0; i < sequences; i++) {
            int[] own = new int[network.draftTokens()];
            float[] sure = new float[probabilities.length / sequences];
            for (int guess = 0; guess < own.length; guess++) {
                own[guess] = all[guess * sequences + i];
                if (guess < sure.length) {
                    sure[guess] = probabilities[guess * sequences + i];
                }
            }
            int sequence = i;
            found.add(
                    new BlockDraft(
                            own, sure, decoded.lattice().map(lattice -> lattice.read(sequence))));
        }
        return found;
    }

    private void writeTokens(int[] ids) {
        if (table.isEmpty()) {
            tokens.write(ids, 0, columns, 0);
            return;
        }
        int hidden = network.sizes().hidden();
        float[] values = new float[columns * hidden];
        for (int column = 0; column < columns; column++) {
            table.get().read(ids[column], values, column * hidden);
        }
        tokens.write(values, 0, values.length, 0);
    }

    private void writeMasks(
            DraftHyperparameters.LayerAttention rule, List<Tensor> tensors, List<Block> blocks) {
        int block = network.block().tokens();
        for (int i = 0; i < blocks.size(); i++) {
            int count = key.rows().get(i);
            short[] values = new short[count * block];
            DraftMask.fill(
                    values,
                    rule,
                    block,
                    cache.regions().capacity(),
                    blocks.get(i).begin(),
                    blocks.get(i).position(),
                    count);
            tensors.get(i).write(values, 0, values.length, 0);
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
