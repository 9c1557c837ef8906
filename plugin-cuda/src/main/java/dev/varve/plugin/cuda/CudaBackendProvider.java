package dev.varve.plugin.cuda;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.GpuBackend;
import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.api.nativecall.ProcessEnvironment;
import dev.varve.api.nativecall.SystemLibrary;

/** Finds CUDA devices. */
public final class CudaBackendProvider implements DeviceBackendProvider {
    /** Read by ggml's CUDA code when it is loaded. */
    private static final String PEER_ACCESS = "GGML_CUDA_P2P";

    /** Called by the service loader. */
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
        if (options.peerAccess()) {
            ProcessEnvironment.set(PEER_ACCESS, "1");
        }
        return GpuBackend.open(
                name(),
                "CUDA",
                GpuBackend.packedLibrary(CudaBackendProvider.class, name(), options),
                device -> false);
    }
}
