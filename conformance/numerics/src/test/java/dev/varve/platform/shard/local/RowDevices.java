package dev.varve.platform.shard.local;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.ggml.Ops;
import dev.varve.api.ggml.Tensor;
import dev.varve.platform.shard.TopTokens;
import dev.varve.plugin.cpu.CpuBackendProvider;
import dev.varve.plugin.vulkan.VulkanBackendProvider;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;

/** Devices that search given rows of logits. */
public final class RowDevices implements AutoCloseable {
    private final Map<String, ComputeDevice> devices = new HashMap<>();

    /** Operators on rows of logits. */
    interface Recorder<T> {
        Optional<T> record(Ops ops, Graph graph, Tensor logits, GgmlDevice device);
    }

    /** Opens the processor, and Vulkan if it exists. */
    public RowDevices() {
        // The processor first: it loads the library that other backends join.
        open("cpu", new CpuBackendProvider(), "varve.test.natives");
        try {
            open("vulkan", new VulkanBackendProvider(), "varve.test.natives.vulkan");
        } catch (VarveException e) {
            // Its cases are skipped.
        }
    }

    private void open(String name, DeviceBackendProvider provider, String property) {
        Path natives = Path.of(System.getProperty(property));
        devices.put(
                name,
                provider.open(new BackendOptions(natives, Optional.of(natives), false))
                        .open(0, DeviceOptions.automatic()));
    }

    ComputeDevice device(String name) {
        assumeTrue(devices.containsKey(name), "no device of " + name);
        return devices.get(name);
    }

    /** Computes operators on rows of equal length, and reads their results. */
    <T, R> R compute(String name, Recorder<T> recorder, Function<T, R> reader, float[]... rows) {
        ComputeDevice device = device(name);
        int length = rows[0].length;
        try (GgmlContext inputs = GgmlContext.open(1, 0);
                GgmlContext nodes = GgmlContext.open(48, 48);
                GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
            Tensor logits = inputs.newTensor(GgmlType.F32, length, rows.length);
            try (DeviceBuffer buffer = device.bufferType().allocate(logits.bytes())) {
                buffer.place(logits, 0);
                for (int i = 0; i < rows.length; i++) {
                    logits.write(rows[i], 0, length, (long) i * length);
                }
                Graph graph = nodes.newGraph(48);
                T found =
                        recorder.record(nodes.ops(), graph, logits, device.ggmlDevice())
                                .orElseThrow();
                allocator.allocate(graph);
                device.compute(graph, Phase.DECODE);
                return reader.apply(found);
            }
        }
    }

    /** Finds the best tokens of rows as a shard does. */
    public List<Optional<TopTokens>> top(String name, float[]... rows) {
        return compute(name, DeviceTopTokens::record, top -> top.read(rows[0].length), rows);
    }

    static float[] randomRow(SplittableRandom random, int length) {
        float[] row = new float[length];
        for (int i = 0; i < row.length; i++) {
            row[i] = (float) random.nextGaussian(0, 5);
        }
        return row;
    }

    @Override
    public void close() {
        devices.values().forEach(ComputeDevice::close);
    }
}
