package dev.varve.platform.shard.local;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ColumnProduct;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.ggml.BufferType;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.MappedFile;
import dev.varve.api.ggml.RowReader;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.gguf.GgufTensor;
import dev.varve.api.gguf.ModelFormatException;
import dev.varve.api.model.TensorSelection;
import dev.varve.api.model.TensorUse;
import dev.varve.platform.shard.LoadProgressListener;
import dev.varve.platform.shard.WeightLayout;
import dev.varve.platform.shard.streaming.ExpertCache;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/**
 * Loads a selection of weights onto one device: first {@link #place} chooses the memory of each
 * tensor, then {@link #copy} moves the bytes. For one thread.
 */
final class WeightLoader {
    /** Longest name of a tensor in ggml, with the zero at its end. */
    private static final int NAME_BYTES = 64;

    private final LoadedTensors target;
    private final ComputeDevice device;
    private final WeightLayout layout;
    private final Optional<ExpertCache> experts;
    private final Optional<ColumnProduct> columnProduct;
    private final LoadProgressListener progress;
    private final Map<Path, MappedFile> files = new HashMap<>();
    private final Map<String, List<TensorSelection.Entry>> copied = new HashMap<>();
    private final Map<String, BufferType> types = new HashMap<>();

    /**
     * @param target receives the tensors, and owns their memory, also if loading fails
     * @param experts cache of the experts that are read when they are needed
     * @param columnProduct the product of columns of the shard's own device
     */
    WeightLoader(
            LoadedTensors target,
            ComputeDevice device,
            WeightLayout layout,
            Optional<ExpertCache> experts,
            Optional<ColumnProduct> columnProduct,
            LoadProgressListener progress) {
        this.target = target;
        this.device = device;
        this.layout = layout;
        this.experts = experts;
        this.columnProduct = columnProduct;
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
                mapped.computeIfAbsent(entry.tensor().file(), file -> new ArrayList<>()).add(entry);
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

    /** With {@code --weights mmap} the operator requests a mapping on any file system. */
    private MappedFile map(Path file) {
        boolean reads = layout != WeightLayout.AS_IN_FILE && NetworkFileSystems.contain(file);
        return target.own(reads ? MappedFile.openForReading(file) : MappedFile.open(file));
    }

    /** Loads weights that are used in place, unless another shard has loaded them. */
    private MappedFile inPlace(GgufTensor tensor) {
        MappedFile file = files.get(tensor.file());
        if (!file.isMapped()) {
            file.load(tensor.offset(), tensor.bytes());
        }
        target.addInPlace(file);
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
        target.addTable(tensor.name(), table, tensor.bytes());
    }

    private boolean canMap(GgufTensor tensor, BufferType type) {
        return type.name().equals(device.bufferType().name())
                && type.isHost()
                && device.ggmlDevice().supportsHostBuffers()
                && tensor.offset() % type.alignment() == 0;
    }

    private void placeMapped(Path file, List<TensorSelection.Entry> entries) {
        for (TensorSelection.Entry entry : entries) {
            target.countMapped(entry.tensor().bytes());
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
                target.own(
                        device.ggmlDevice().mapHostMemory(addresses, begin, end - begin, largest));
        buffer.markWeights();
        GgmlContext context = context(entries.size());
        for (TensorSelection.Entry entry : entries) {
            buffer.place(
                    declare(context, entry, device.bufferType()), entry.tensor().offset() - begin);
        }
    }

    /** Copies the bytes that are not mapped; returns the bytes that are done after it. */
    long copy(long doneBefore, long total) {
        long done = doneBefore;
        for (Map.Entry<String, List<TensorSelection.Entry>> group : copied.entrySet()) {
            done = copy(types.get(group.getKey()), group.getValue(), done, total);
        }
        return done;
    }

    private long copy(
            BufferType type, List<TensorSelection.Entry> entries, long doneBefore, long total) {
        GgmlContext context = context(entries.size());
        List<Tensor> declared = new ArrayList<>();
        for (TensorSelection.Entry entry : entries) {
            declared.add(declare(context, entry, type));
        }
        allocate(context, type);
        AtomicLong done = new AtomicLong(doneBefore);
        // Repacking is arithmetic on one tensor at a time, so all cores can share it.
        IntStream tensors = IntStream.range(0, declared.size());
        boolean mapped = files.values().stream().allMatch(MappedFile::isMapped);
        // A file that is read, not mapped, needs memory for each tensor in progress.
        (device.bufferType().isHost() && mapped ? tensors.parallel() : tensors)
                .forEach(i -> upload(entries.get(i).tensor(), declared.get(i), done, total));
        return done.get();
    }

    private void allocate(GgmlContext context, BufferType type) {
        DeviceBuffer buffer =
                context.allocate(type)
                        .orElseThrow(
                                () ->
                                        new VarveException(
                                                VarveException.Kind.OUT_OF_MEMORY,
                                                device.info().name()
                                                        + ": no room for the weights in "
                                                        + type.name()));
        target.addBuffer(buffer);
        buffer.markWeights();
        if (device.bufferType().isHost()) {
            buffer.preferHugePages();
        }
    }

    private void upload(GgufTensor source, Tensor tensor, AtomicLong done, long total) {
        MappedFile file = files.get(source.file());
        long rest =
                ReadAhead.load(
                        file, source.offset(), source.bytes(), read -> report(done, read, total));
        tensor.upload(file, source.offset(), source.bytes());
        file.releasePages(source.offset(), source.bytes());
        report(done, rest, total);
    }

    private void report(AtomicLong done, long more, long total) {
        synchronized (progress) {
            progress.loaded(done.addAndGet(more), total);
        }
    }

    private GgmlContext context(int count) {
        return target.own(GgmlContext.open(count, 0));
    }

    private Tensor declare(GgmlContext context, TensorSelection.Entry entry, BufferType home) {
        GgufTensor file = entry.tensor();
        long[] shape = file.dimensions().stream().mapToLong(Long::longValue).toArray();
        Tensor tensor = context.newTensor(file.type(), shape);
        Optional.of(file.name())
                .filter(name -> name.length() < NAME_BYTES)
                .ifPresent(tensor::named);
        MatmulKernelProperties.WeightMemory kind =
                MatmulKernelProperties.WeightMemory.of(home, device.bufferType());
        MatmulKernelProperties properties =
                MatmulKernelProperties.of(tensor.type(), tensor.bytes(), entry.use(), kind);
        boolean columns =
                kind == MatmulKernelProperties.WeightMemory.HOST
                        && entry.use() == TensorUse.MATMUL
                        && columnProduct.filter(product -> product.takes(tensor)).isPresent();
        target.add(file.name(), entry.use(), new LoadedTensors.Weight(tensor, properties, columns));
        return tensor;
    }
}
