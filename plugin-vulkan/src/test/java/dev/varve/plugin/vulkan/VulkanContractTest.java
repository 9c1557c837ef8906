package dev.varve.plugin.vulkan;

import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.contracts.DeviceBackendContract;

/** Skipped, but for what needs no device, where no Vulkan driver is installed. */
class VulkanContractTest extends DeviceBackendContract {
    @Override
    protected DeviceBackendProvider provider() {
        return new VulkanBackendProvider();
    }
}
