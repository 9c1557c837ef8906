package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ColumnProduct;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.MappedFile;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.RowReader;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.shard.streaming.ExpertCache;
import dev.varve.platform.shard.streaming.ExpertGroup;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The weights of a shard on its devices. Matrices go to a repacking buffer type if the device has
 * one that accepts them. Other tensors stay in the mapped file if the device can compute from host
 * memory; otherwise they are copied. Lookup tables always stay in the file if the device has its
 * own memory: it needs only a row per token.
 */
public final class ShardWeights implements AutoCloseable {
    /** Maximum columns of a few sequences' blocks of draft tokens. */
    private static final int FEW = 64;

    /**
     * A weight in its memory.
     *
     * @param properties numerics of products with it
     * @param columns whether {@link #columnProduct} supports it
     */
    private record LoadedWeight(
            Tensor tensor, MatmulKernelProperties properties, boolean columns) {}

    // Concurrent: a replica adds or frees adapters while another one is loaded with these weights.
    private final Map<String, LoadedWeight> loaded = new ConcurrentHashMap<>();

    /** Distinct properties of all weights: a few, whatever the number of weights. */
    private final Set<MatmulKernelProperties> kinds = ConcurrentHashMap.newKeySet();

    private final Map<String, RowReader> tables = new ConcurrentHashMap<>();
    private final Deque<AutoCloseable> owned = new ArrayDeque<>();

    /** Files whose pages are read whenever the model computes. */
    private final Set<MappedFile> inPlace = ConcurrentHashMap.newKeySet();

    /** Matrices of adapters, which the maps above include. */
    private final AttachedMatrices attached = new AttachedMatrices();

    private long bufferBytes;
    private long mappedBytes;

    private final ShardDevices devices;
    private Optional<ExpertCache> experts = Optional.empty();

    /** Number of shards that use these weights. */
    private int users = 1;

    /** Number of encoders that use them too; with no users, the weights are freed. */
    private int borrowers;

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
            List<Loading> loadings = new ArrayList<>();
            long total = 0;
            for (ComputeDevice device : devices.all()) {
                Loading loading = weights.new Loading(device, layout, progress);
                loadings.add(loading);
                total += loading.place(weights.on(device, selection));
            }
            progress.loaded(0, total);
            long done = 0;
            for (Loading loading : loadings) {
                done = loading.copy(done, total);
            }
            return weights;
        } catch (RuntimeException | Error e) {
            weights.close();
            throw e;
        }
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
            ExpertCache cache = ExpertCache.open(matrices, cacheBytes, useFolder);
            owned.push(cache);
            experts = Optional.of(cache);
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
        return weight(name, use).tensor();
    }

    private LoadedWeight weight(String name, TensorUse use) {
        LoadedWeight weight = loaded.get(key(name, use));
        if (weight == null) {
            throw new IllegalArgumentException("weight " + name + " was not selected for " + use);
        }
        return weight;
    }

    /** Number of columns at whose multiples products with all of the weights may be divided. */
    int columnGroup() {
        int group = 1;
        for (MatmulKernelProperties each : kinds) {
            group = Math.max(group, each.group());
        }
        return group;
    }

    /** Maximum number of products into which a product of this many rows is divided. */
    int mostProductsOf(int rows) {
        int products = 1;
        for (MatmulKernelProperties each : kinds) {
            products = Math.max(products, each.productsOf(rows));
        }
        return products;
    }

    /** Numerics of products of several columns with a weight compared with those of one. */
    MatmulKernelProperties kernelProperties(String name, TensorUse use) {
        return weight(name, use).properties();
    }

    /**
     * Multiplies {@code [K, M] times F32 [K, N] -> F32 [M, N]}, in the way that suits the weight's
     * memory.
     */
    public Tensor multiply(Ops ops, String name, Tensor input) {
        LoadedWeight weight = weight(name, TensorUse.MATMUL);
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
        return weight(name, use).columns() ? columnProduct : Optional.empty();
    }

    /** Maximum number of tensors of tiled products of this many columns with all weights. */
    public int tensorsOfTiles(int columns) {
        if (kinds.stream().noneMatch(MatmulKernelProperties::tiles)) {
            return 0;
        }
        return (int)
                loaded.values().stream()
                        .filter(each -> each.properties().tiles())
                        .mapToLong(each -> MatmulTiling.tensors(each.tensor(), columns, threads))
                        .sum();
    }

    /** Whether a weight was selected for a use. */
    public boolean has(String name, TensorUse use) {
        return loaded.containsKey(key(name, use));
    }

    /** Whether all tensors of a selection are loaded, each for its use. */
    boolean haveAll(TensorSelection selection) {
        return selection.entries().stream().allMatch(this::has);
    }

    private boolean has(TensorSelection.Entry entry) {
        String name = entry.tensor().name();
        return WeightPlacement.staysOnHost(devices.own(), entry)
                ? tables.containsKey(name)
                : has(name, entry.use());
    }

    /** Returns a table that stays in host memory. */
    public Optional<RowReader> hostTable(String name) {
        return Optional.ofNullable(tables.get(name));
    }

    /**
     * Throws if a mapped file has become shorter: its missing pages would kill the process.
     *
     * @throws VarveException of kind CORRUPT_FILE if a file is shorter
     */
    public void requireWhole() {
        for (MappedFile file : inPlace) {
            file.requireWhole();
        }
    }

    /** Bytes in buffers of the weights' own. */
    public long bufferBytes() {
        return bufferBytes + attached.sum(ShardWeights::bufferBytes);
    }

    /** Bytes that are used in place in the mapped file. */
    public long mappedBytes() {
        return mappedBytes + attached.sum(ShardWeights::mappedBytes);
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
            attached.attach(number, adapter, load).ifPresent(this::include);
        }
    }

    private void include(ShardWeights matrices) {
        loaded.putAll(matrices.loaded);
        kinds.addAll(matrices.kinds);
        tables.putAll(matrices.tables);
        inPlace.addAll(matrices.inPlace);
    }

    /** Frees the matrices of an adapter when the last shard that uses them calls it. */
    void detach(int number) {
        synchronized (attached) {
            attached.detach(number).ifPresent(this::exclude);
        }
    }

    private void exclude(ShardWeights matrices) {
        loaded.keySet().removeAll(matrices.loaded.keySet());
        kinds.retainAll(
                loaded.values().stream().map(LoadedWeight::properties).collect(Collectors.toSet()));
        tables.keySet().removeAll(matrices.tables.keySet());
        inPlace.removeAll(matrices.inPlace);
        matrices.close();
    }

    /** Number of shards that use these weights. */
    synchronized int users() {
        return users;
    }

    /**
     * Registers one more shard, which must close the weights as well.
     *
     * @return false if they are freed already
     */
    synchronized boolean share() {
        if (isFreed()) {
            return false;
        }
        users++;
        return true;
    }

    /**
     * Registers an encoder, which must call {@link #giveBack}. Unlike a shard it reports no share
     * of the weights' memory.
     *
     * @return false if they are freed already
     */
    synchronized boolean borrow() {
        if (isFreed()) {
            return false;
        }
        borrowers++;
        return true;
    }

    /** Frees the weights if neither a shard nor another encoder uses them. */
    synchronized void giveBack() {
        borrowers--;
        freeIfUnused();
    }

    private boolean isFreed() {
        return users + borrowers == 0;
    }

    /** Frees the weights when the last shard that uses them closes them, and no encoder does. */
    @Override
    public synchronized void close() {
        if (users > 0) {
            users--;
            freeIfUnused();
        }
    }

    private void freeIfUnused() {
        if (!isFreed()) {
            return;
        }
        attached.close();
        while (!owned.isEmpty()) {
            try {
                owned.pop().close();
            } catch (Exception e) {
                throw new IllegalStateException("closing weights failed", e);
            }
        }
    }

    private static String key(String name, TensorUse use) {
        return use + "/" + name;
    }

    /** One pass over a device's selection: places every tensor first, then moves the bytes. */
    private final class Loading {
        private final ComputeDevice device;
        private final WeightLayout layout;
        private final LoadProgressListener progress;
        private final Map<Path, MappedFile> files = new HashMap<>();
        private final Map<String, List<TensorSelection.Entry>> copied = new HashMap<>();
        private final Map<String, BufferType> types = new HashMap<>();

        Loading(ComputeDevice device, WeightLayout layout, LoadProgressListener progress) {
            this.device = device;
            this.layout = layout;
            this.progress = progress;
        }

        /** Chooses the memory of each tensor; returns the bytes to copy. */
        long place(TensorSelection selection) {
            Map<Path, List<TensorSelection.Entry>> mapped = new HashMap<>();
            Map<Path, List<TensorSelection.Entry>> streamed = new HashMap<>();
            long total = 0;
            for (TensorSelection.Entry entry : selection.entries()) {
                files.computeIfAbsent(entry.tensor().file(), this::map);
                if (WeightPlacement.staysOnHost(device, entry)) {
                    openTable(entry.tensor());
                    continue;
                }
                BufferType type = WeightPlacement.choose(device, entry, layout);
                if (isStreamed(entry)) {
                    streamed.computeIfAbsent(entry.tensor().file(), file -> new ArrayList<>())
                            .add(entry);
                } else if (layout != WeightLayout.STREAMED && canMap(entry.tensor(), type)) {
                    mapped.computeIfAbsent(entry.tensor().file(), file -> new ArrayList<>())
                            .add(entry);
                } else {
                    types.put(type.name(), type);
                    copied.computeIfAbsent(type.name(), name -> new ArrayList<>()).add(entry);
                    total += entry.tensor().bytes();
                }
            }
            mapped.forEach(this::placeMapped);
            streamed.forEach(this::placeStreamed);
            return total;
        }

        private boolean isStreamed(TensorSelection.Entry entry) {
            return experts.isPresent() && entry.use() == TensorUse.EXPERT_MATMUL;
        }

        /** Gives the matrices the addresses of experts that are read when they are needed. */
        private void placeStreamed(Path file, List<TensorSelection.Entry> entries) {
            for (TensorSelection.Entry entry : entries) {
                GgufTensor tensor = entry.tensor();
                if (tensor.offset() % device.bufferType().alignment() != 0) {
                    throw new ModelFormatException(
                            tensor.file(),
                            tensor.name(),
                            "an offset at a multiple of " + device.bufferType().alignment(),
                            "offset " + tensor.offset());
                }
            }
            placeAt(experts.orElseThrow().addresses(file), entries);
        }

        /** Copies the bytes that are not mapped; returns the bytes that are done after it. */
        long copy(long doneBefore, long total) {
            long done = doneBefore;
            for (Map.Entry<String, List<TensorSelection.Entry>> group : copied.entrySet()) {
                done = copy(types.get(group.getKey()), group.getValue(), done, total);
            }
            return done;
        }

        /** With {@code --weights mmap} the operator requests a mapping on any file system. */
        private MappedFile map(Path file) {
            boolean reads = layout != WeightLayout.AS_IN_FILE && NetworkFileSystems.contain(file);
            MappedFile mapping = reads ? MappedFile.openForReading(file) : MappedFile.open(file);
            owned.push(mapping);
            return mapping;
        }

        /** Loads weights that are used in place, unless another shard has loaded them. */
        private MappedFile inPlace(GgufTensor tensor) {
            MappedFile file = files.get(tensor.file());
            if (!file.isMapped()) {
                file.load(tensor.offset(), tensor.bytes());
            }
            inPlace.add(file);
            return file;
        }

        private void openTable(GgufTensor tensor) {
            RowReader table =
                    RowReader.open(
                            inPlace(tensor),
                            tensor.offset(),
                            tensor.type(),
                            Math.toIntExact(tensor.ne(0)),
                            tensor.ne(1));
            owned.push(table);
            tables.put(tensor.name(), table);
            mappedBytes += tensor.bytes();
        }

        private boolean canMap(GgufTensor tensor, BufferType type) {
            return type.name().equals(device.bufferType().name())
                    && type.isHost()
                    && device.ggmlDevice().supportsHostBuffers()
                    && tensor.offset() % type.alignment() == 0;
        }

        private void placeMapped(Path file, List<TensorSelection.Entry> entries) {
            for (TensorSelection.Entry entry : entries) {
                mappedBytes += entry.tensor().bytes();
                inPlace(entry.tensor());
            }
            placeAt(files.get(file), entries);
        }

        private void placeAt(MappedFile addresses, List<TensorSelection.Entry> entries) {
            long begin = Long.MAX_VALUE;
            long end = 0;
            long largest = 0;
            for (TensorSelection.Entry entry : entries) {
                GgufTensor tensor = entry.tensor();
                begin = Math.min(begin, tensor.offset());
                end = Math.max(end, tensor.offset() + tensor.bytes());
                largest = Math.max(largest, tensor.bytes());
            }
            DeviceBuffer buffer =
                    device.ggmlDevice().mapHostMemory(addresses, begin, end - begin, largest);
            owned.push(buffer);
            buffer.markWeights();
            GgmlContext context = context(entries.size());
            for (TensorSelection.Entry entry : entries) {
                buffer.place(
                        declare(context, entry, device.bufferType()),
                        entry.tensor().offset() - begin);
            }
        }

        private long copy(
                BufferType type, List<TensorSelection.Entry> entries, long doneBefore, long total) {
            GgmlContext context = context(entries.size());
            List<Tensor> declared = new ArrayList<>();
            for (TensorSelection.Entry entry : entries) {
                declared.add(declare(context, entry, type));
            }
            DeviceBuffer buffer =
                    context.allocate(type)
                            .orElseThrow(
                                    () ->
                                            new VarveException(
                                                    VarveException.Kind.OUT_OF_MEMORY,
                                                    device.info().name()
                                                            + ": no room for the weights in "
                                                            + type.name()));
            owned.push(buffer);
            buffer.markWeights();
            boolean onHost = device.bufferType().isHost();
            if (onHost) {
                buffer.preferHugePages();
            }
            bufferBytes += buffer.size();
            AtomicLong done = new AtomicLong(doneBefore);
            // Repacking is arithmetic on one tensor at a time, so all cores can share it.
            IntStream tensors = IntStream.range(0, declared.size());
            boolean mapped = files.values().stream().allMatch(MappedFile::isMapped);
            // A file that is read, not mapped, needs memory for each tensor in progress.
            (onHost && mapped ? tensors.parallel() : tensors)
                    .forEach(
                            i -> {
                                GgufTensor tensor = entries.get(i).tensor();
                                MappedFile file = files.get(tensor.file());
                                long rest =
                                        ReadAhead.load(
                                                file,
                                                tensor.offset(),
                                                tensor.bytes(),
                                                read -> report(done, read, total));
                                declared.get(i).upload(file, tensor.offset(), tensor.bytes());
                                file.releasePages(tensor.offset(), tensor.bytes());
                                report(done, rest, total);
                            });
            return done.get();
        }

        private void report(AtomicLong done, long more, long total) {
            synchronized (progress) {
                progress.loaded(done.addAndGet(more), total);
            }
        }

        private GgmlContext context(int count) {
            GgmlContext context = GgmlContext.open(count, 0);
            owned.push(context);
            return context;
        }

        private Tensor declare(GgmlContext context, TensorSelection.Entry entry, BufferType home) {
            GgufTensor file = entry.tensor();
            long[] shape = file.dimensions().stream().mapToLong(Long::longValue).toArray();
            Tensor tensor = context.newTensor(file.type(), shape);
            Optional.of(file.name()).filter(name -> name.length() < 64).ifPresent(tensor::named);
            MatmulKernelProperties.WeightMemory kind =
                    MatmulKernelProperties.WeightMemory.of(home, device.bufferType());
            MatmulKernelProperties properties =
                    MatmulKernelProperties.of(tensor.type(), tensor.bytes(), entry.use(), kind);
            boolean columns =
                    kind == MatmulKernelProperties.WeightMemory.HOST
                            && entry.use() == TensorUse.MATMUL
                            && columnProduct.filter(product -> product.takes(tensor)).isPresent();
            loaded.put(
                    key(file.name(), entry.use()), new LoadedWeight(tensor, properties, columns));
            kinds.add(properties);
            return tensor;
        }
    }
}
