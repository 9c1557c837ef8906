package dev.varve.plugin.hip;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.GpuBackend;
import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.api.nativecall.ProcessEnvironment;
import dev.varve.api.nativecall.SystemLibrary;

import java.nio.file.Path;
import java.util.List;

/** Finds HIP devices. */
public final class HipBackendProvider implements DeviceBackendProvider {
    /** Read by ggml's CUDA code, which its HIP library is built from, when it is loaded. */
    private static final String PEER_ACCESS = "GGML_CUDA_P2P";

    /** Called by the service loader. */
    public HipBackendProvider() {}

    @Override
    public String name() {
        return "hip";
    }

    @Override
    public String ggmlVersion() {
        return GgmlLibrary.EXPECTED_VERSION;
    }

    @Override
    public DeviceBackend open(BackendOptions options) {
        Path library =
                new HipLibrary(
                                options.ggmlHome().map(List::of).orElse(HipLibrary.SYSTEM),
                                GgmlLibrary.baseFile(),
                                GgmlLibrary.EXPECTED_VERSION,
                                SystemLibrary::whyMissing)
                        .require();
        if (options.peerAccess()) {
            ProcessEnvironment.set(PEER_ACCESS, "1");
        }
        return GpuBackend.open(name(), "ROCm", library, device -> false);
    }
}
