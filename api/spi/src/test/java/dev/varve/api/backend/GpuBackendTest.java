package dev.varve.api.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlDevice;
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
import java.util.List;
import java.util.Optional;

/** On the processor's devices, which stand in for cards: what is tested knows nothing of either. */
class GpuBackendTest {
    private static final Path NONE = Path.of("libggml-none.so");

    @BeforeAll
    static void loadGgml() {
        Path natives = Path.of(System.getProperty("varve.test.natives"));
        GgmlLibrary.load(natives);
        if (GgmlDevice.all().isEmpty()) {
            GgmlLibrary.loadBackendsFrom(natives);
        }
    }

    @Test
    void devicesAreNumberedAndReportTheirMemory() {
        List<DeviceInfo> devices = open(false).devices();

        DeviceInfo first = devices.getFirst();
        assertEquals("card:0", first.name());
        assertTrue(first.memoryTotalBytes() > 0, first.toString());
        assertTrue(first.memoryFreeBytes() <= first.memoryTotalBytes(), first.toString());
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1, 99, Integer.MAX_VALUE, Integer.MIN_VALUE})
    void missingDeviceIsRefused(int index) {
        GpuBackend backend = open(false);

        VarveException error =
                assertThrows(
                        VarveException.class, () -> backend.open(index, DeviceOptions.automatic()));

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertEquals("card:" + index + ": the backend has only card:0", error.getMessage());
    }

    @Test
    void devicesOnCpuCoresShareTheProcessorLock() {
        try (ComputeDevice software = open(true).open(0, DeviceOptions.automatic());
                ComputeDevice card = open(false).open(0, DeviceOptions.automatic())) {
            assertSame(HostCores.lock(), software.lock());
            assertTrue(software.info().hostCores());
            assertNotSame(HostCores.lock(), card.lock());
        }
    }

    @Test
    void twoQueuesOfOneDeviceShareItsLock() {
        GpuBackend backend = open(false);

        try (ComputeDevice one = backend.open(0, DeviceOptions.automatic());
                ComputeDevice other = backend.open(0, DeviceOptions.automatic())) {
            assertSame(one.lock(), other.lock());
        }
    }

    @Test
    void graphIsComputedInBothPhasesUntilTheDeviceIsClosed() {
        ComputeDevice device = open(false).open(0, DeviceOptions.automatic());
        try (GgmlContext context = GgmlContext.open(4, 4);
                GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
            Tensor input = context.newTensor(GgmlType.F32, 1).markInput();
            Tensor output = context.ops().neg(input).markOutput();
            Graph graph = context.newGraph(4);
            graph.expand(output);
            allocator.allocate(graph);
            for (Phase phase : Phase.values()) {
                input.write(new float[] {7}, 0, 1, 0);
                device.compute(graph, phase);
                float[] result = new float[1];
                output.read(result, 0, 1, 0);
                assertEquals(-7, result[0], phase.toString());
            }

            device.close();
            device.close();

            assertThrows(IllegalStateException.class, () -> device.compute(graph, Phase.DECODE));
        }
    }

    @Test
    void weightsAndCachesAreInDeviceMemory() {
        try (ComputeDevice device = open(false).open(0, DeviceOptions.automatic())) {
            assertEquals(List.of(device.bufferType()), device.weightBufferTypes());
            assertEquals(0, device.threads(Phase.DECODE));
            assertEquals("CPU", device.ggmlDevice().name());
        }
    }

    @Test
    void missingLibraryIsNamed() {
        VarveException error =
                assertThrows(
                        VarveException.class,
                        () -> GpuBackend.open("none", "None", NONE, device -> false));

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertTrue(error.getMessage().contains(NONE.toString()), error.getMessage());
    }

    @Test
    void libraryOfTheConfiguredFolderIsPreferred(@TempDir Path home) throws IOException {
        Path library = Files.createFile(home.resolve("libggml-card.so"));
        BackendOptions options =
                new BackendOptions(home.resolve("cache"), Optional.of(home), false);

        assertEquals(library, GpuBackend.packedLibrary(getClass(), "card", options));
    }

    @Test
    void jarWithoutLibrariesIsNamed(@TempDir Path cache) {
        VarveException error =
                assertThrows(
                        VarveException.class,
                        () ->
                                GpuBackend.packedLibrary(
                                        getClass(), "card", BackendOptions.packed(cache)));

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertEquals(
                "the jar of " + getClass().getName() + " holds no libraries", error.getMessage());
    }

    private static GpuBackend open(boolean hostCores) {
        return GpuBackend.open("card", "CPU", NONE, device -> hostCores);
    }
}
