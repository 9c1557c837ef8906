package dev.varve.plugin.cpu;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.backend.HostCores;
import dev.varve.api.ggml.GgmlDevice;
import dev.varve.api.ggml.ThreadPool;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The one CPU device. */
final class CpuBackend implements DeviceBackend {
    /** Instruction sets worth displaying, the widest first. */
    private static final List<String> SHOWN =
            List.of("AMX_INT8", "AVX512_BF16", "AVX512_VNNI", "AVX512", "AVX_VNNI", "AVX2");

    private final GgmlDevice device;
    private final HostFacts host = new HostFacts(Path.of("/"));

    private final Path kernels;
    private Optional<OwnOperators> own = Optional.empty();

    /**
     * @param kernels library of {@link Kernels}
     */
    CpuBackend(GgmlDevice device, Path kernels) {
        this.device = device;
        this.kernels = kernels;
    }

    @Override
    public List<DeviceInfo> devices() {
        return List.of(info());
    }

    private DeviceInfo info() {
        Set<String> features = device.features().keySet();
        String sets = String.join(", ", SHOWN.stream().filter(features::contains).toList());
        String description =
                host.processor()
                        + ", "
                        + host.physicalCores()
                        + " cores"
                        + (sets.isEmpty() ? "" : " (" + sets + ")");
        return new DeviceInfo("cpu:0", description, host.memoryTotal(), host.memoryFree(), true);
    }

    @Override
    public ComputeDevice open(int index, DeviceOptions options) {
        if (index != 0) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    "cpu:" + index + ": expected cpu:0, the only device");
        }
        int cores = host.physicalCores();
        int decode = options.threads().orElse(cores);
        int prefill = options.threadsBatch().orElse(decode);
        requireThreads("--threads", decode);
        requireThreads("--threads-batch", prefill);
        return new CpuDevice(
                device, info(), own(), HostCores.lock(), decode, prefill, options.sharedCores());
    }

    private synchronized OwnOperators own() {
        if (own.isEmpty()) {
            own =
                    Optional.of(
                            new OwnOperators(
                                    ExactColumns.find(device, kernels),
                                    InPlaceDelta.find(device, kernels),
                                    InPlaceConvolution.find(device, kernels)));
        }
        return own.get();
    }

    private static void requireThreads(String flag, int threads) {
        if (threads < 1 || threads > ThreadPool.MAX_THREADS) {
            throw new VarveException(
                    VarveException.Kind.INVALID_REQUEST,
                    flag + ": expected 1 to " + ThreadPool.MAX_THREADS + ", found " + threads);
        }
    }
}
