package dev.varve.platform.shard.local;

import dev.varve.api.backend.ColumnProduct;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.Extents;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Strides;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.lora.LoraTerm;
import dev.varve.platform.shard.lora.LoraTerms;

import java.util.List;
import java.util.Optional;
import java.util.function.BinaryOperator;

/**
 * Products of a batch's columns with weights. A chunk is multiplied as it is alone, and a row has
 * the bits of a product of its own if {@link BatchInvariance} requires it.
 *
 * <p>If ggml does not compute more rows with the same bits, they use the device's own product of
 * columns if it has one. Otherwise they are passed as planes of one column: one operator, which
 * still reads the weight about once, and which uses the kernel of a single column.
 */
final class MatrixProducts {
    private final Ops ops;
    private final ShardWeights weights;
    private final LoraTerms lora;
    private final List<Integer> adapters;
    private final AdapterFactorSource factors;
    private final BatchInvariance exact;
    private final boolean apart;
    private final boolean onHost;
    private final List<ColumnRun> tokenRuns;
    private final List<ColumnRun> outputRuns;
    private final int tokens;
    private final int outputs;
    private Optional<Prepared> last = Optional.empty();

    /**
     * @param factors source of the factors of adapters' terms
     */
    MatrixProducts(Ops ops, GraphKey key, ShardGraphContext context, AdapterFactorSource factors) {
        this.ops = ops;
        weights = context.weights();
        lora = context.lora();
        adapters = key.adapters();
        this.factors = factors;
        exact = context.arithmetic().exactRows();
        // In addition to a chunk it costs almost nothing; and a chunk of a single token needs it.
        apart = exact == BatchInvariance.ON || key.phase() == Phase.PREFILL;
        onHost = context.arithmetic().onHost();
        tokenRuns = ColumnRun.ofTokens(key);
        outputRuns = ColumnRun.ofOutputs(key);
        tokens = key.tokens();
        outputs = key.outputs();
    }

    /** Makes products whose columns need not have the bits of single ones. */
    MatrixProducts(Ops ops, ShardWeights weights, boolean onHost) {
        this.ops = ops;
        this.weights = weights;
        this.onHost = onHost;
        lora = LoraTerms.NONE;
        adapters = List.of();
        factors = AdapterFactorSource.NONE;
        exact = BatchInvariance.OFF;
        apart = false;
        tokenRuns = List.of();
        outputRuns = List.of();
        tokens = -1;
        outputs = -1;
    }

    /** {@code [K, M] times F32 [K, N] -> F32 [M, N]}, with the terms of adapters. */
    Tensor multiply(String name, Tensor input) {
        Tensor product = multiplyWeight(name, input);
        for (LoraTerm term : activeTerms(name)) {
            Tensor change = multiplyWeight(term.b(), multiplyWeight(term.a(), input));
            product = ops.add(product, scaled(change, term));
        }
        return product;
    }

    /** Returns the terms of a weight whose adapters change a token of the batch. */
    List<LoraTerm> activeTerms(String weight) {
        return adapters.isEmpty()
                ? List.of()
                : lora.of(weight).stream()
                        .filter(term -> adapters.contains(term.factor().adapter()))
                        .toList();
    }

    /** {@code F32 [M, N] times the factors of N tokens}. */
    Tensor scaled(Tensor change, LoraTerm term) {
        return ops.mul(change, factors.of(term.factor(), change.ne(1)));
    }

    private Tensor multiplyWeight(String name, Tensor input) {
        Tensor weight = weights.get(name, TensorUse.MATMUL);
        MatmulKernelProperties kernelProperties = weights.kernelProperties(name, TensorUse.MATMUL);
        Optional<ColumnProduct> ownProduct = weights.columnProduct(name, TensorUse.MATMUL);
        List<ColumnRun> runs = runs((int) input.ne(1));
        if (isWhole(runs, kernelProperties)) {
            return precise(weights.multiply(ops, name, input));
        }
        ConcatAccumulator all = new ConcatAccumulator((one, other) -> ops.concat(one, other, 1));
        for (ColumnRun run : runs) {
            int step = step(run, kernelProperties);
            if (ownProduct.isPresent() && step < run.count()) {
                all.add(
                        ownProduct
                                .get()
                                .multiply(ops, weight, prepared(ownProduct.get(), input, run)));
                continue;
            }
            if (kernelProperties.planes() && step < run.count()) {
                Tensor planes =
                        ops.view(
                                input,
                                Extents.of(input.ne(0), 1, run.count()),
                                Strides.of(input.nb(1), input.nb(1)),
                                run.first() * input.nb(1));
                Tensor product = precise(ops.mulMat(weight, planes));
                all.add(ops.reshape2d(product, product.ne(0), run.count()));
                continue;
            }
            for (int done = 0; done < run.count(); done += step) {
                all.add(
                        precise(
                                ops.mulMat(
                                        weight,
                                        columns(
                                                input,
                                                run.first() + done,
                                                Math.min(step, run.count() - done)))));
            }
        }
        return all.result();
    }

    /** {@code [K, M, H] times F32 [K, N, H] -> F32 [M, N, H]}. */
    Tensor multiplyHeads(String name, Tensor input) {
        Tensor weight = weights.get(name, TensorUse.MATMUL);
        MatmulKernelProperties kernelProperties = weights.kernelProperties(name, TensorUse.MATMUL);
        List<ColumnRun> runs = runs((int) input.ne(1));
        if (isWhole(runs, kernelProperties)) {
            return precise(ops.mulMat(weight, input));
        }
        ConcatAccumulator all = new ConcatAccumulator((one, other) -> ops.concat(one, other, 1));
        for (ColumnRun run : runs) {
            int step = step(run, kernelProperties);
            for (int done = 0; done < run.count(); done += step) {
                Tensor own =
                        ops.view(
                                input,
                                Extents.of(
                                        input.ne(0),
                                        Math.min(step, run.count() - done),
                                        input.ne(2)),
                                Strides.of(input.nb(1), input.nb(2)),
                                (run.first() + done) * input.nb(1));
                all.add(precise(ops.mulMat(weight, own)));
            }
        }
        return all.result();
    }

    /**
     * {@code [K, M, E] times F32 [K, U or 1, T] by ids I32 [U, T] -> F32 [M, U, T]}, with the terms
     * of adapters.
     */
    Tensor multiplyExperts(String name, Tensor input, Tensor ids) {
        Tensor product = multiplyChosen(name, input, ids);
        for (LoraTerm term : activeTerms(name)) {
            Tensor change = multiplyChosen(term.b(), multiplyChosen(term.a(), input, ids), ids);
            Tensor factor = factors.of(term.factor(), ids.ne(1));
            Tensor perToken = ops.reshape3d(factor, 1, 1, factor.ne(1));
            product = ops.add(product, ops.mul(change, perToken));
        }
        return product;
    }

    private Tensor multiplyChosen(String name, Tensor input, Tensor ids) {
        Tensor weight = weights.get(name, TensorUse.EXPERT_MATMUL);
        MatmulKernelProperties kernelProperties =
                weights.kernelProperties(name, TensorUse.EXPERT_MATMUL);
        List<ColumnRun> runs = runs((int) ids.ne(1));
        if (isWhole(runs, kernelProperties)) {
            return precise(ops.mulMatId(weight, input, ids));
        }
        ConcatAccumulator all = new ConcatAccumulator((one, other) -> ops.concat(one, other, 2));
        for (ColumnRun run : runs) {
            int step = step(run, kernelProperties);
            for (int done = 0; done < run.count(); done += step) {
                int first = run.first() + done;
                int count = Math.min(step, run.count() - done);
                Tensor own =
                        ops.view(
                                input,
                                Extents.of(input.ne(0), input.ne(1), count),
                                Strides.of(input.nb(1), input.nb(2)),
                                first * input.nb(2));
                all.add(precise(ops.mulMatId(weight, own, columns(ids, first, count))));
            }
        }
        return all.result();
    }

    /** Runs of a tensor's columns; a family may also multiply columns that are no tokens. */
    private List<ColumnRun> runs(int columns) {
        if (columns == tokens) {
            return tokenRuns;
        }
        return columns == outputs ? outputRuns : List.of(new ColumnRun(0, columns, false));
    }

    private boolean isWhole(List<ColumnRun> runs, MatmulKernelProperties kernelProperties) {
        int columns = runs.getLast().first() + runs.getLast().count();
        return exact == BatchInvariance.OFF
                || columns <= kernelProperties.most()
                || (runs.size() == 1 && step(runs.getFirst(), kernelProperties) >= columns);
    }

    /** Number of columns of a run in one product. */
    private int step(ColumnRun run, MatmulKernelProperties kernelProperties) {
        return run.rows() && (apart || run.count() <= kernelProperties.maxSingleColumns())
                ? Math.min(run.count(), kernelProperties.most())
                : run.count();
    }

    /** Columns of a run, prepared once for all consecutive products with them. */
    private Tensor prepared(ColumnProduct product, Tensor input, ColumnRun run) {
        if (last.filter(done -> done.of(input, run)).isEmpty()) {
            Tensor own = columns(input, run.first(), run.count());
            Tensor contiguous = own.isContiguous() ? own : ops.cont(own);
            last = Optional.of(new Prepared(input, run, product.prepare(ops, contiguous)));
        }
        return last.get().columns();
    }

    /** Columns of a run of an input, in the form for the device's own product. */
    private record Prepared(Tensor input, ColumnRun run, Tensor columns) {
        boolean of(Tensor other, ColumnRun otherRun) {
            return input == other && run.equals(otherRun);
        }
    }

    private Tensor columns(Tensor all, int first, int count) {
        return ops.view2d(all, all.ne(0), count, all.nb(1), first * all.nb(1));
    }

    /** Accelerators would accumulate in half precision if they support it; the CPU never does. */
    private Tensor precise(Tensor product) {
        return onHost ? product : ops.accumulateF32(product);
    }

    /** Concatenates results. */
    private static final class ConcatAccumulator {
        private final BinaryOperator<Tensor> join;
        private Optional<Tensor> all = Optional.empty();

        ConcatAccumulator(BinaryOperator<Tensor> join) {
            this.join = join;
        }

        void add(Tensor next) {
            all = Optional.of(all.isPresent() ? join.apply(all.get(), next) : next);
        }

        Tensor result() {
            return all.orElseThrow();
        }
    }
}
