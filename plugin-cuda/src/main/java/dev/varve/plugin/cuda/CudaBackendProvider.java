package dev.varve.plugin.cuda;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.GpuBackend;
import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.api.nativecall.ProcessEnvironment;
import dev.varve.api.nativecall.SystemLibrary;

import java.nio.file.Path;
import java.util.List;

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
        List<Path> systemLibraries =
                new CudaLibraries(
                                SystemLibrary::whyMissing,
                                new CudaFolders(Path.of("/"), ProcessEnvironment::get).find())
                        .openAll();
        if (options.peerAccess()) {
            ProcessEnvironment.set(PEER_ACCESS, "1");
        }
        return new CudaBackend(
                GpuBackend.open(
                        name(),
                        "CUDA",
                        GpuBackend.packedLibrary(CudaBackendProvider.class, name(), options),
                        device -> false),
                systemLibraries);
    }
}
