package dev.varve.plugin.vulkan;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.GpuBackend;
import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.api.ggml.ProcessEnvironment;
import dev.varve.api.ggml.VulkanDriver;

import java.nio.file.Path;
import java.util.Set;

/** Finds Vulkan devices. */
public final class VulkanBackendProvider implements DeviceBackendProvider {
    /** Made by the service loader. */
    public VulkanBackendProvider() {}

    @Override
    public String name() {
        return "vulkan";
    }

    @Override
    public String ggmlVersion() {
        return GgmlLibrary.EXPECTED_VERSION;
    }

    @Override
    public DeviceBackend open(BackendOptions options) {
        Set<String> software =
                new VisibleDevices(
                                ProcessEnvironment.get(VisibleDevices.VARIABLE),
                                Path.of("/dev"),
                                VulkanDriver::physicalDevices)
                        .softwareNames();
        return GpuBackend.open(
                name(),
                "Vulkan",
                GpuBackend.packedLibrary(VulkanBackendProvider.class, name(), options),
                device -> software.contains(device.description()));
    }
}
