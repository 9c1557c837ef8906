package dev.varve.plugin.cuda;

import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;

import java.nio.file.Path;
import java.util.List;

/**
 * CUDA's devices.
 *
 * @param backend ggml's backend
 * @param systemLibraries runtime libraries that were opened by their path
 */
record CudaBackend(DeviceBackend backend, List<Path> systemLibraries) implements DeviceBackend {
    @Override
    public List<DeviceInfo> devices() {
        return backend.devices();
    }

    @Override
    public ComputeDevice open(int index, DeviceOptions options) {
        return backend.open(index, options);
    }
}
