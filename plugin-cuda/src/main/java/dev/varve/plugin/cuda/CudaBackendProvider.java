package dev.varve.plugin.cuda;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.GpuBackend;
import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.api.ggml.SystemLibrary;

/** Finds CUDA devices. */
public final class CudaBackendProvider implements DeviceBackendProvider {
    /** Made by the service loader. */
    public CudaBackendProvider() {}

    @Override
    public String name() {
        return "cuda";
    }

    @Override
    public String ggmlVersion() {
        return GgmlLibrary.EXPECTED_VERSION;
    }

    @Override
    public DeviceBackend open(BackendOptions options) {
        CudaRuntime.require(SystemLibrary::whyMissing);
        GpuBackend.preparePeerAccess(options);
        return GpuBackend.open(
                name(),
                "CUDA",
                GpuBackend.packedLibrary(CudaBackendProvider.class, name(), options),
                device -> false);
    }
}
