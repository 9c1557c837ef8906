package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ColumnProduct;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.RowReader;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.shard.streaming.ExpertCache;
import dev.varve.platform.shard.streaming.ExpertGroup;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The weights of a shard on its devices. Matrices go to a repacking buffer type if the device has
 * one that accepts them. Other tensors stay in the mapped file if the device can compute from host
 * memory; otherwise they are copied. Lookup tables always stay in the file if the device has its
 * own memory: it needs only a row per token.
 */
public final class ShardWeights implements AutoCloseable {
    /** Maximum columns of a few sequences' blocks of draft tokens. */
    private static final int FEW = 64;

    private final LoadedTensors tensors = new LoadedTensors();

    /** Matrices of adapters, which the tensors above include. */
    private final AttachedMatrices attached = new AttachedMatrices();

    private final WeightUsers users = new WeightUsers(this::free);
    private final ShardDevices devices;
    private Optional<ExpertCache> experts = Optional.empty();

    private final int threads;
    private final Optional<ColumnProduct> columnProduct;

    private ShardWeights(ShardDevices devices) {
        this.devices = devices;
        threads = devices.own().threads(ComputeDevice.Phase.DECODE);
        columnProduct = devices.own().columnProduct();
    }

    /**
     * Loads a selection onto one device.
     *
     * @throws VarveException of kind OUT_OF_MEMORY if the device memory is too small
     * @throws dev.varve.api.gguf.ModelFormatException if it does not support a tensor's type
     */
    public static ShardWeights load(
            TensorSelection selection,
            ComputeDevice device,
            WeightLayout layout,
            LoadProgressListener progress) {
        return load(selection, ShardDevices.of(device), layout, progress);
    }

    /**
     * Loads a selection, each tensor onto its device.
     *
     * @throws VarveException of kind OUT_OF_MEMORY if the device memory is too small
     * @throws dev.varve.api.gguf.ModelFormatException if it does not support a tensor's type
     */
    public static ShardWeights load(
            TensorSelection selection,
            ShardDevices devices,
            WeightLayout layout,
            LoadProgressListener progress) {
        return load(selection, devices, layout, 0, Optional.empty(), progress);
    }

    /**
     * Loads a selection, each tensor onto its device.
     *
     * @param expertCacheBytes most bytes of experts in memory, if they are streamed
     * @param useFolder folder in which their use is kept; empty if it is not
     * @throws VarveException of kind OUT_OF_MEMORY if the device memory is too small,
     *     INVALID_REQUEST if the devices do not support streamed experts, or the cache is too small
     * @throws dev.varve.api.gguf.ModelFormatException if a device does not support a tensor's type
     */
    static ShardWeights load(
            TensorSelection selection,
            ShardDevices devices,
            WeightLayout layout,
            long expertCacheBytes,
            Optional<Path> useFolder,
            LoadProgressListener progress) {
        ShardWeights weights = new ShardWeights(devices);
        try {
            if (layout == WeightLayout.STREAMED) {
                weights.openExperts(selection, expertCacheBytes, useFolder);
            }
            List<WeightLoader> loaders = new ArrayList<>();
            long total = 0;
            for (ComputeDevice device : devices.all()) {
                WeightLoader loader = weights.loader(device, layout, progress);
                loaders.add(loader);
                total += loader.place(weights.on(device, selection));
            }
            progress.loaded(0, total);
            long done = 0;
            for (WeightLoader loader : loaders) {
                done = loader.copy(done, total);
            }
            return weights;
        } catch (RuntimeException | Error e) {
            weights.close();
            throw e;
        }
    }

    private WeightLoader loader(
            ComputeDevice device, WeightLayout layout, LoadProgressListener progress) {
        return new WeightLoader(tensors, device, layout, experts, columnProduct, progress);
    }

    private void openExperts(TensorSelection selection, long cacheBytes, Optional<Path> useFolder) {
        ComputeDevice device = devices.own();
        if (!device.bufferType().isHost()
                || !device.ggmlDevice().supportsHostBuffers()
                || isSpread()) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    Setting.WEIGHTS
                            + ": streamed experts need the backend cpu for all layers, found "
                            + device.info().name());
        }
        List<GgufTensor> matrices =
                selection.entries().stream()
                        .filter(entry -> entry.use() == TensorUse.EXPERT_MATMUL)
                        .map(TensorSelection.Entry::tensor)
                        .toList();
        if (!matrices.isEmpty()) {
            experts = Optional.of(tensors.own(ExpertCache.open(matrices, cacheBytes, useFolder)));
        }
    }

    /** The cache of experts that are not loaded; empty if all are in memory. */
    Optional<ExpertCache> experts() {
        return experts;
    }

    /** Returns a layer's experts if they are read when they are needed. */
    Optional<ExpertGroup> streamed(String prefix) {
        return experts.flatMap(cache -> cache.group(prefix));
    }

    private TensorSelection on(ComputeDevice device, TensorSelection selection) {
        return devices.elsewhere().isEmpty()
                ? selection
                : new TensorSelection(
                        selection.entries().stream()
                                .filter(entry -> devices.of(entry.tensor().name()) == device)
                                .toList());
    }

    /** Whether some weights are on another device than the shard's own. */
    boolean isSpread() {
        return !devices.elsewhere().isEmpty();
    }

    /** Returns the device of a weight; empty if it is the shard's own. */
    Optional<ComputeDevice> elsewhere(String name) {
        return devices.elsewhere(name);
    }

    /** Returns a weight, with the use for which it was selected. */
    public Tensor get(String name, TensorUse use) {
        return tensors.get(name, use).tensor();
    }

    /** Number of columns at whose multiples products with all of the weights may be divided. */
    int columnGroup() {
        return tensors.columnGroup();
    }

    /** Maximum number of products into which a product of this many rows is divided. */
    int mostProductsOf(int rows) {
        return tensors.mostProductsOf(rows);
    }

    /** Numerics of products of several columns with a weight compared with those of one. */
    MatmulKernelProperties kernelProperties(String name, TensorUse use) {
        return tensors.get(name, use).properties();
    }

    /**
     * Multiplies {@code [K, M] times F32 [K, N] -> F32 [M, N]}, in the way that suits the weight's
     * memory.
     */
    public Tensor multiply(Ops ops, String name, Tensor input) {
        LoadedTensors.Weight weight = tensors.get(name, TensorUse.MATMUL);
        return weight.properties().tiles()
                ? MatmulTiling.multiply(ops, weight.tensor(), input, threads)
                : ops.mulMat(weight.tensor(), input);
    }

    /**
     * As {@link #multiply}, if last bits do not matter: a few columns use the device's own product,
     * which may need one more tensor.
     */
    public Tensor multiplyFew(Ops ops, String name, Tensor input) {
        Optional<ColumnProduct> own = columnProduct(name, TensorUse.MATMUL);
        if (own.isEmpty() || input.ne(1) == 1 || input.ne(1) > FEW || !input.isContiguous()) {
            return multiply(ops, name, input);
        }
        return own.get().multiply(ops, get(name, TensorUse.MATMUL), own.get().prepare(ops, input));
    }

    /**
     * The device's own product, in which each column has the bits of a single one, if it supports
     * this weight.
     */
    Optional<ColumnProduct> columnProduct(String name, TensorUse use) {
        return tensors.get(name, use).columns() ? columnProduct : Optional.empty();
    }

    /** Maximum number of tensors of tiled products of this many columns with all weights. */
    public int tensorsOfTiles(int columns) {
        return tensors.tensorsOfTiles(columns, threads);
    }

    /** Whether a weight was selected for a use. */
    public boolean has(String name, TensorUse use) {
        return tensors.has(name, use);
    }

    /** Whether all tensors of a selection are loaded, each for its use. */
    boolean haveAll(TensorSelection selection) {
        return selection.entries().stream().allMatch(this::has);
    }

    private boolean has(TensorSelection.Entry entry) {
        String name = entry.tensor().name();
        return WeightPlacement.staysOnHost(devices.own(), entry)
                ? hostTable(name).isPresent()
                : has(name, entry.use());
    }

    /** Returns a table that stays in host memory. */
    public Optional<RowReader> hostTable(String name) {
        return tensors.table(name);
    }

    /**
     * Throws if a mapped file has become shorter: its missing pages would kill the process.
     *
     * @throws VarveException of kind CORRUPT_FILE if a file is shorter
     */
    public void requireWhole() {
        tensors.requireWhole();
    }

    /** Bytes in buffers of the weights' own. */
    public long bufferBytes() {
        return tensors.bufferBytes() + attached.sum(ShardWeights::bufferBytes);
    }

    /** Bytes that are used in place in the mapped file. */
    public long mappedBytes() {
        return tensors.mappedBytes() + attached.sum(ShardWeights::mappedBytes);
    }

    /**
     * Adds the matrices of an adapter, unless another shard with these weights has added them. Each
     * shard that adds them must call {@link #detach}.
     *
     * @param load loads them, onto the devices of these weights
     * @throws VarveException as {@link AttachedMatrices#attach}
     */
    void attach(int number, GgufFile adapter, Supplier<ShardWeights> load) {
        synchronized (attached) {
            attached.attach(number, adapter, load)
                    .ifPresent(matrices -> tensors.include(matrices.tensors));
        }
    }

    /** Frees the matrices of an adapter when the last shard that uses them calls it. */
    void detach(int number) {
        synchronized (attached) {
            attached.detach(number).ifPresent(this::exclude);
        }
    }

    private void exclude(ShardWeights matrices) {
        tensors.exclude(matrices.tensors);
        matrices.close();
    }

    /** Number of shards that use these weights. */
    int users() {
        return users.shards();
    }

    /**
     * Registers one more shard, which must close the weights as well.
     *
     * @return false if they are freed already
     */
    boolean share() {
        return users.addShard();
    }

    /**
     * Registers an encoder, which must call {@link #giveBack}. Unlike a shard it reports no share
     * of the weights' memory.
     *
     * @return false if they are freed already
     */
    boolean borrow() {
        return users.addEncoder();
    }

    /** Frees the weights if neither a shard nor another encoder uses them. */
    void giveBack() {
        users.removeEncoder();
    }

    /** Frees the weights when the last shard that uses them closes them, and no encoder does. */
    @Override
    public void close() {
        users.removeShard();
    }

    private void free() {
        attached.close();
        tensors.close();
    }
}
