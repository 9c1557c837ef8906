package dev.varve.plugin.vulkan;

import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.GpuBackend;
import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.api.nativecall.ProcessEnvironment;

import java.nio.file.Path;
import java.util.Set;

/** Finds Vulkan devices. */
public final class VulkanBackendProvider implements DeviceBackendProvider {
    private static final String NO_HALF_PRECISION = "GGML_VK_DISABLE_F16";

    /** Called by the service loader. */
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
        VisibleDevices visible =
                new VisibleDevices(
                        ProcessEnvironment.get(VisibleDevices.VARIABLE),
                        Path.of("/dev"),
                        VulkanDriver::physicalDevices);
        Set<String> software = visible.softwareNames();
        if (visible.onlySoftware() && ProcessEnvironment.get(NO_HALF_PRECISION).isEmpty()) {
            // Half precision makes the processor's cores no faster, and results less exact.
            ProcessEnvironment.set(NO_HALF_PRECISION, "1");
        }
        return GpuBackend.open(
                name(),
                "Vulkan",
                GpuBackend.packedLibrary(VulkanBackendProvider.class, name(), options),
                device -> software.contains(device.description()));
    }
}
