/** Computes on Vulkan devices; contains ggml's Vulkan library. */
module dev.varve.plugin.vulkan {
    requires dev.varve.api;

    provides dev.varve.api.backend.DeviceBackendProvider with
            dev.varve.plugin.vulkan.VulkanBackendProvider;
}
