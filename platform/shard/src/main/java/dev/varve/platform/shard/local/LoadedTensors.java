package dev.varve.platform.shard.local;

import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.MappedFile;
import dev.varve.api.ggml.RowReader;
import dev.varve.api.ggml.Tensor;
import dev.varve.api.model.TensorUse;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Tensors of weights in their memory, by name and use, with the buffers and files that hold them.
 * One thread adds tensors; any thread may read them, also while those of adapters are included or
 * excluded.
 */
final class LoadedTensors implements AutoCloseable {
    /**
     * A weight in its memory.
     *
     * @param properties numerics of products with it
     * @param columns whether the device's own product of columns supports it
     */
    record Weight(Tensor tensor, MatmulKernelProperties properties, boolean columns) {}

    // Concurrent: a replica adds or frees adapters while another one is loaded with these weights.
    private final Map<String, Weight> weights = new ConcurrentHashMap<>();

    /** Distinct properties of all weights: a few, whatever the number of weights. */
    private final Set<MatmulKernelProperties> kinds = ConcurrentHashMap.newKeySet();

    private final Map<String, RowReader> tables = new ConcurrentHashMap<>();

    /** Files whose pages are read whenever the model computes. */
    private final Set<MappedFile> inPlace = ConcurrentHashMap.newKeySet();

    /** Freed in the opposite order. */
    private final Deque<AutoCloseable> owned = new ArrayDeque<>();

    private long bufferBytes;
    private long mappedBytes;

    /** Frees a resource together with the tensors. */
    <T extends AutoCloseable> T own(T resource) {
        owned.push(resource);
        return resource;
    }

    /** Adds a weight. */
    void add(String name, TensorUse use, Weight weight) {
        weights.put(key(name, use), weight);
        kinds.add(weight.properties());
    }

    /** Adds a table that stays in host memory, and owns it. */
    void addTable(String name, RowReader table, long bytes) {
        tables.put(name, own(table));
        mappedBytes += bytes;
    }

    /** Registers bytes of a file that are used in place. */
    void addInPlace(MappedFile file) {
        inPlace.add(file);
    }

    /** Counts bytes of weights that are used in place. */
    void countMapped(long bytes) {
        mappedBytes += bytes;
    }

    /** Counts the bytes of a buffer of the weights' own, and owns it. */
    void addBuffer(DeviceBuffer buffer) {
        bufferBytes += own(buffer).size();
    }

    /** Returns a weight, with the use for which it was selected. */
    Weight get(String name, TensorUse use) {
        Weight weight = weights.get(key(name, use));
        if (weight == null) {
            throw new IllegalArgumentException("weight " + name + " was not selected for " + use);
        }
        return weight;
    }

    boolean has(String name, TensorUse use) {
        return weights.containsKey(key(name, use));
    }

    Optional<RowReader> table(String name) {
        return Optional.ofNullable(tables.get(name));
    }

    private static String key(String name, TensorUse use) {
        return use + "/" + name;
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

    /** Maximum number of tensors of tiled products of this many columns with all weights. */
    int tensorsOfTiles(int columns, int threads) {
        if (kinds.stream().noneMatch(MatmulKernelProperties::tiles)) {
            return 0;
        }
        return (int)
                weights.values().stream()
                        .filter(each -> each.properties().tiles())
                        .mapToLong(each -> MatmulTiling.tensors(each.tensor(), columns, threads))
                        .sum();
    }

    /**
     * Throws if a mapped file has become shorter: its missing pages would kill the process.
     *
     * @throws dev.varve.api.VarveException of kind CORRUPT_FILE if a file is shorter
     */
    void requireWhole() {
        for (MappedFile file : inPlace) {
            file.requireWhole();
        }
    }

    /** Bytes in buffers of these tensors, without included ones. */
    long bufferBytes() {
        return bufferBytes;
    }

    /** Bytes that are used in place in the mapped file, without included ones. */
    long mappedBytes() {
        return mappedBytes;
    }

    /** Makes the tensors of others available here, which still own them. */
    void include(LoadedTensors others) {
        weights.putAll(others.weights);
        kinds.addAll(others.kinds);
        tables.putAll(others.tables);
        inPlace.addAll(others.inPlace);
    }

    /** Removes tensors that were included. */
    void exclude(LoadedTensors others) {
        weights.keySet().removeAll(others.weights.keySet());
        kinds.retainAll(
                weights.values().stream().map(Weight::properties).collect(Collectors.toSet()));
        tables.keySet().removeAll(others.tables.keySet());
        inPlace.removeAll(others.inPlace);
    }

    /** Frees the memory of all tensors except included ones. */
    @Override
    public void close() {
        while (!owned.isEmpty()) {
            try {
                owned.pop().close();
            } catch (Exception e) {
                throw new IllegalStateException("closing weights failed", e);
            }
        }
    }
}
