package dev.varve.plugin.cpu;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalInt;

class CpuBackendTest {
    @TempDir static Path cache;

    private static DeviceBackend backend;

    @BeforeAll
    static void open() {
        DeviceBackendProvider provider = new CpuBackendProvider();
        assertEquals("cpu", provider.name());
        assertEquals(GgmlLibrary.EXPECTED_VERSION, provider.ggmlVersion());
        Path natives = Path.of(System.getProperty("varve.test.natives"));
        backend = provider.open(new BackendOptions(cache, Optional.of(natives), false));
    }

    @Test
    void thereIsOneDeviceWithItsMemory() {
        assertEquals(1, backend.devices().size());
        DeviceInfo info = backend.devices().getFirst();
        assertEquals("cpu:0", info.name());
        assertTrue(info.description().contains(" cores"), info.description());
        assertTrue(info.memoryFreeBytes() > 0 && info.memoryFreeBytes() <= info.memoryTotalBytes());
    }

    @Test
    void graphIsComputedInBothPhasesWithTheirThreads() {
        try (ComputeDevice device =
                backend.open(0, new DeviceOptions(OptionalInt.of(1), OptionalInt.of(3), false))) {
            assertEquals(1, device.threads(ComputeDevice.Phase.DECODE));
            assertEquals(3, device.threads(ComputeDevice.Phase.PREFILL));
            for (ComputeDevice.Phase phase :
                    new ComputeDevice.Phase[] {
                        ComputeDevice.Phase.PREFILL,
                        ComputeDevice.Phase.DECODE,
                        ComputeDevice.Phase.PREFILL
                    }) {
                assertArrayEquals(new float[] {14, 32, 32, 77}, product(device, phase));
            }
        }
    }

    @Test
    void devicesOfOneBackendShareALock() {
        try (ComputeDevice one = backend.open(0, DeviceOptions.automatic());
                ComputeDevice two = backend.open(0, DeviceOptions.automatic())) {
            assertSame(one.lock(), two.lock());
            assertEquals(
                    one.threads(ComputeDevice.Phase.DECODE),
                    one.threads(ComputeDevice.Phase.PREFILL));
            assertEquals(one.bufferType().name(), one.weightBufferTypes().getLast().name());
        }
    }

    @Test
    void closedDeviceRefusesWorkAndClosesTwice() {
        ComputeDevice device = backend.open(0, DeviceOptions.automatic());
        device.close();
        device.close();

        assertThrows(
                IllegalStateException.class, () -> product(device, ComputeDevice.Phase.DECODE));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, -1})
    void onlyDeviceZeroExists(int index) {
        VarveException error =
                assertThrows(
                        VarveException.class, () -> backend.open(index, DeviceOptions.automatic()));
        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertEquals("cpu:" + index + ": expected cpu:0, the only device", error.getMessage());
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 513})
    void threadsAreLimited(int threads) {
        VarveException error =
                assertThrows(
                        VarveException.class,
                        () ->
                                backend.open(
                                        0,
                                        new DeviceOptions(
                                                OptionalInt.of(threads),
                                                OptionalInt.empty(),
                                                false)));
        assertEquals(VarveException.Kind.INVALID_REQUEST, error.kind());
        assertEquals("--threads: expected 1 to 512, found " + threads, error.getMessage());
        assertTrue(
                assertThrows(
                                VarveException.class,
                                () ->
                                        backend.open(
                                                0,
                                                new DeviceOptions(
                                                        OptionalInt.of(1),
                                                        OptionalInt.of(threads),
                                                        false)))
                        .getMessage()
                        .startsWith("--threads-batch"));
    }

    @ParameterizedTest
    @CsvSource({"Mac OS X, aarch64", "Linux, aarch64", "Windows 11, amd64"})
    void unsupportedPlatformsAreNamed(String system, String architecture) {
        VarveException error =
                assertThrows(
                        VarveException.class,
                        () -> CpuBackendProvider.requirePlatform(system, architecture));
        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertEquals(
                "the packed ggml libraries support Linux on x86-64; found "
                        + system
                        + " on "
                        + architecture,
                error.getMessage());
    }

    @Test
    void linuxOnX86IsSupported() {
        CpuBackendProvider.requirePlatform("Linux", "amd64");
        CpuBackendProvider.requirePlatform("linux", "x86_64");
    }

    private static float[] product(ComputeDevice device, ComputeDevice.Phase phase) {
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
                    device.compute(graph, phase);
                }
                float[] values = new float[4];
                product.read(values, 0, 4, 0);
                return values;
            }
        }
    }
}
