/** Computes on the host's processor; contains ggml's base, registry and CPU libraries. */
module dev.varve.plugin.cpu {
    requires dev.varve.api;

    provides dev.varve.api.backend.DeviceBackendProvider with
            dev.varve.plugin.cpu.CpuBackendProvider;
}
