/** Computes on NVIDIA's devices; contains ggml's CUDA library. */
module dev.varve.plugin.cuda {
    requires dev.varve.api;

    provides dev.varve.api.backend.DeviceBackendProvider with
            dev.varve.plugin.cuda.CudaBackendProvider;
}
