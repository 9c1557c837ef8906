package dev.varve.plugin.vulkan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.VarveException;
import dev.varve.api.nativecall.SystemLibrary;
import dev.varve.plugin.vulkan.VulkanDriver.PhysicalDevice;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

class VisibleDevicesTest {
    private static final PhysicalDevice CARD = new PhysicalDevice("Card", false, true);
    private static final PhysicalDevice OLD = new PhysicalDevice("Old card", false, false);
    private static final PhysicalDevice SOFTWARE = new PhysicalDevice("llvmpipe", true, true);

    @TempDir Path hardware;

    @BeforeEach
    void aGraphicsCard() throws IOException {
        Files.createDirectory(hardware.resolve("dri"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "x", "-1", "0,", ",0", "0 1", "0;1", "99999", "0x1", "1.0"})
    void invalidDeviceListIsRefused(String chosen) {
        assertEquals(
                "GGML_VK_VISIBLE_DEVICES: expected device numbers such as 0 or 0,1, found '"
                        + chosen
                        + "'",
                refused(Optional.of(chosen), List.of(CARD)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"2", "0,2", "2,0"})
    void numberOutOfRangeIsRefused(String chosen) {
        needsLoader();
        assertEquals(
                "GGML_VK_VISIBLE_DEVICES=" + chosen + ": device 2 does not exist; expected 0 to 1",
                refused(Optional.of(chosen), List.of(CARD, SOFTWARE)));
    }

    @Test
    void moreDevicesThanTheGgmlLimitAreRefused() {
        needsLoader();
        assertEquals(
                "GGML_VK_VISIBLE_DEVICES: expected at most 16 devices, found 17",
                refused(Optional.of("0" + ",0".repeat(16)), List.of(CARD)));
    }

    @Test
    void selectedDeviceWithoutAFeatureIsRefused() {
        needsLoader();
        assertEquals(
                "GGML_VK_VISIBLE_DEVICES=1: Old card lacks Vulkan 1.2 with 16-bit storage",
                refused(Optional.of("1"), List.of(CARD, OLD)));
    }

    @Test
    void hardwareWithoutAFeatureIsNamed() {
        needsLoader();
        assertEquals(
                "no Vulkan device has Vulkan 1.2 with 16-bit storage (Old card, llvmpipe)",
                refused(Optional.empty(), List.of(OLD, SOFTWARE)));
    }

    @Test
    void softwareRendererIsUsedOnRequestOnly() {
        needsLoader();
        assertEquals(
                "the only Vulkan devices are software renderers (llvmpipe); with"
                        + " GGML_VK_VISIBLE_DEVICES=0 in the environment Varve uses a software"
                        + " renderer",
                refused(Optional.empty(), List.of(SOFTWARE)));
    }

    @Test
    void missingDriverIsReportedWithItsPackage() {
        needsLoader();
        assertTrue(
                refused(Optional.empty(), List.of()).contains("mesa-vulkan-drivers"),
                "the package of the drivers");
    }

    @Test
    void withoutGraphicsHardwareNoDriverIsStarted(@TempDir Path none) {
        VisibleDevices visible =
                new VisibleDevices(
                        Optional.empty(),
                        none,
                        () -> {
                            throw new AssertionError("the driver was asked");
                        });

        VarveException error = assertThrows(VarveException.class, visible::softwareNames);

        assertTrue(
                error.getMessage().startsWith("found no graphics device in " + none),
                error.getMessage());
        assertTrue(error.getMessage().contains("GGML_VK_VISIBLE_DEVICES=0"), error.getMessage());
    }

    @Test
    void softwareRenderersAreDistinguishedFromCards() {
        needsLoader();
        List<PhysicalDevice> both = List.of(CARD, SOFTWARE);

        assertEquals(
                Set.of("llvmpipe"),
                new VisibleDevices(Optional.empty(), hardware, () -> both).softwareNames());
        assertEquals(
                Set.of("llvmpipe"),
                new VisibleDevices(Optional.of("1,0"), hardware, () -> both).softwareNames());
    }

    private String refused(Optional<String> chosen, List<PhysicalDevice> devices) {
        VarveException error =
                assertThrows(
                        VarveException.class,
                        () -> new VisibleDevices(chosen, hardware, () -> devices).softwareNames());
        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        return error.getMessage();
    }

    private static void needsLoader() {
        assumeTrue(
                SystemLibrary.whyMissing(VulkanDriver.LOADER).isEmpty(),
                "libvulkan.so.1 is not installed (Debian: libvulkan1)");
    }
}
