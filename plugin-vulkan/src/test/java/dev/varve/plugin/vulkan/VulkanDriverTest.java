package dev.varve.plugin.vulkan;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.VarveException;
import dev.varve.api.nativecall.SystemLibrary;
import dev.varve.plugin.vulkan.VulkanDriver.PhysicalDevice;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VulkanDriverTest {
    @ParameterizedTest
    @CsvSource({"0, 0.0", "4194304, 1.0", "4198400, 1.1", "4202495, 1.1"})
    void oldLoaderIsReportedWithItsVersion(int version, String found) {
        VarveException error =
                assertThrows(VarveException.class, () -> VulkanDriver.requireVersion(version));

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertEquals(
                "libvulkan.so.1: expected Vulkan 1.2 or later, found " + found, error.getMessage());
    }

    @ParameterizedTest
    @CsvSource({"4202496", "4206592"})
    void loaderOfVersion12OrLaterIsAccepted(int version) {
        assertDoesNotThrow(() -> VulkanDriver.requireVersion(version));
    }

    @Test
    void failedCallIsNamedWithItsStatus() {
        VarveException error =
                assertThrows(
                        VarveException.class, () -> VulkanDriver.check("vkCreateInstance", -3));

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertEquals("libvulkan.so.1: vkCreateInstance failed with status -3", error.getMessage());
    }

    @Test
    void everyDeviceOfTheSystemHasAStableName() {
        assumeTrue(
                SystemLibrary.whyMissing(VulkanDriver.LOADER).isEmpty(),
                "libvulkan.so.1 is not installed (Debian: libvulkan1)");

        var devices = VulkanDriver.physicalDevices();

        for (PhysicalDevice device : devices) {
            assertFalse(device.name().isBlank(), device.toString());
        }
        assertEquals(devices, VulkanDriver.physicalDevices());
    }
}
