/** Computes on AMD's devices with a HIP build of ggml that the user provides. */
module dev.varve.plugin.hip {
    requires dev.varve.api;

    provides dev.varve.api.backend.DeviceBackendProvider with
            dev.varve.plugin.hip.HipBackendProvider;
}
