package dev.varve.plugin.vulkan;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.backend.HostCores;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlLibrary;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.ggml.Tensor;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** On a software renderer where there is no graphics card. */
class VulkanBackendTest {
    @TempDir static Path cache;

    private static DeviceBackend backend;

    @BeforeAll
    static void open() {
        String missing = "";
        try {
            missing = VulkanDriver.physicalDevices().isEmpty() ? "no driver has a device" : "";
        } catch (VarveException e) {
            missing = e.getMessage();
        }
        assumeTrue(
                missing.isEmpty(),
                "no Vulkan here (Debian: libvulkan1, mesa-vulkan-drivers): " + missing);
        GgmlLibrary.load(Path.of(System.getProperty("varve.test.natives")));
        backend = new VulkanBackendProvider().open(BackendOptions.packed(cache));
    }

    @Test
    void devicesHaveNamesAndMemory() {
        DeviceInfo info = backend.devices().getFirst();

        assertEquals("vulkan:0", info.name());
        assertTrue(!info.description().isEmpty(), "the hardware's name");
        assertTrue(
                info.memoryFreeBytes() > 0 && info.memoryFreeBytes() <= info.memoryTotalBytes(),
                info.toString());
    }

    @Test
    void softwareRendererSharesTheProcessorLock() {
        boolean software = VulkanDriver.physicalDevices().getFirst().software();

        assertEquals(software, backend.devices().getFirst().hostCores());
        try (ComputeDevice one = backend.open(0, DeviceOptions.automatic());
                ComputeDevice two = backend.open(0, DeviceOptions.automatic())) {
            assertSame(one.lock(), two.lock());
            if (software) {
                assertSame(HostCores.lock(), one.lock());
            } else {
                assertNotSame(HostCores.lock(), one.lock());
            }
        }
    }

    @Test
    void reopenedBackendFindsTheSameDevices() {
        DeviceBackend again = new VulkanBackendProvider().open(BackendOptions.packed(cache));

        assertEquals(backend.devices().size(), again.devices().size());
    }

    @Test
    void processHoldsOneBaseLibrary() throws IOException {
        assertEquals(
                1,
                Files.readAllLines(Path.of("/proc/self/maps")).stream()
                        .filter(line -> line.contains("/libggml-base.so"))
                        .map(line -> line.substring(line.indexOf('/')))
                        .distinct()
                        .count());
    }

    @Test
    void graphIsComputed() {
        try (ComputeDevice device = backend.open(0, DeviceOptions.automatic())) {
            assertEquals(0, device.threads(ComputeDevice.Phase.DECODE));
            assertEquals(device.bufferType(), device.weightBufferTypes().getLast());

            assertArrayEquals(new float[] {14, 32, 32, 77}, product(device));
        }
    }

    @Test
    void closedDeviceRefusesWorkAndClosesTwice() {
        ComputeDevice device = backend.open(0, DeviceOptions.automatic());
        device.close();
        device.close();

        assertThrows(IllegalStateException.class, () -> product(device));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 64})
    void missingDeviceIsRefused(int index) {
        VarveException error =
                assertThrows(
                        VarveException.class, () -> backend.open(index, DeviceOptions.automatic()));

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertTrue(
                error.getMessage().startsWith("vulkan:" + index + ": the backend has "),
                error.getMessage());
    }

    private static float[] product(ComputeDevice device) {
        try (GgmlContext inputs = GgmlContext.open(1, 0);
                GgmlContext nodes = GgmlContext.open(8, 8);
                GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
            Tensor a = inputs.newTensor(GgmlType.F32, 3, 2);
            try (DeviceBuffer buffer = inputs.allocate(device.bufferType()).orElseThrow()) {
                assertTrue(buffer.size() >= a.bytes());
                a.write(new float[] {1, 2, 3, 4, 5, 6}, 0, 6, 0);
                Tensor product = nodes.ops().mulMat(a, a).markOutput();
                Graph graph = nodes.newGraph(8);
                graph.expand(product);
                allocator.allocate(graph);
                synchronized (device.lock()) {
                    device.compute(graph, ComputeDevice.Phase.DECODE);
                }
                float[] values = new float[4];
                product.read(values, 0, 4, 0);
                return values;
            }
        }
    }
}
