package dev.varve.contracts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.ComputeDevice.Phase;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;
import dev.varve.api.ggml.DeviceBuffer;
import dev.varve.api.ggml.GgmlContext;
import dev.varve.api.ggml.GgmlType;
import dev.varve.api.ggml.Graph;
import dev.varve.api.ggml.GraphAllocator;
import dev.varve.api.ggml.Tensor;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;

/**
 * Contract of device backends. If the backend's library, driver or device is missing, the tests
 * that need one are skipped with the backend's reason; a separate test checks that reason.
 */
@Timeout(120)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class DeviceBackendContract {
    private static final int INNER = 96;
    private static final int ROWS = 5;
    private static final int COLUMNS = 3;

    /**
     * A device may multiply in half precision: ten bits of each factor, summed over {@value #INNER}
     * products of factors below 1.
     */
    private static final double TOLERANCE = INNER * 2.0 / (1 << 11);

    private Path cache;
    private Optional<DeviceBackend> opened = Optional.empty();
    private Optional<VarveException> refusal = Optional.empty();

    /** For extending classes. */
    protected DeviceBackendContract() {}

    /** Creates a new provider. */
    protected abstract DeviceBackendProvider provider();

    /**
     * Returns the options for opening the backend.
     *
     * @param cacheFolder an empty folder of the test, for unpacked files
     */
    protected BackendOptions options(Path cacheFolder) {
        return BackendOptions.packed(cacheFolder);
    }

    /**
     * Loads the libraries that the server loads before it opens this backend: ggml's base library,
     * unless this backend provides it.
     */
    protected void loadBase() {
        GgmlFolder.loadBase();
    }

    @BeforeAll
    void open(@TempDir Path folder) {
        cache = folder;
        loadBase();
        try {
            opened = Optional.ofNullable(provider().open(options(cache)));
        } catch (VarveException e) {
            refusal = Optional.of(e);
        }
    }

    private DeviceBackend backend() {
        assumeTrue(
                refusal.isEmpty(),
                () -> provider().name() + " is not here: " + refusal.orElseThrow().getMessage());
        return opened.orElseThrow(() -> new AssertionError("open returned null"));
    }

    private ComputeDevice device() {
        return backend().open(0, DeviceOptions.automatic());
    }

    @Test
    void constructorIsCheap() {
        ProviderRules.requireCheap(this::provider);
    }

    @Test
    void nameIsAStableWord() {
        DeviceBackendProvider provider = provider();

        String name = provider.name();

        ProviderRules.requireWord(name);
        assertEquals(name, provider.name());
        assertEquals(name, provider().name());
    }

    @Test
    void ggmlVersionIsNamed() {
        String version = provider().ggmlVersion();

        assertTrue(version.matches("\\d+\\.\\d+\\.\\d+"), version);
        assertEquals(version, provider().ggmlVersion());
    }

    @Test
    void backendOpensOrReportsInOneLineWhatIsMissing() {
        assertTrue(opened.isPresent() || refusal.isPresent(), "open returned null");
        refusal.ifPresent(
                error -> {
                    assertEquals(VarveException.Kind.UNAVAILABLE, error.kind(), error.getMessage());
                    ProviderRules.requireLine(error);
                });
    }

    @Test
    void devicesAreNumberedAndDescribed() {
        List<DeviceInfo> devices = backend().devices();

        assertFalse(devices.isEmpty(), "a backend without a device says so when it is opened");
        for (int i = 0; i < devices.size(); i++) {
            DeviceInfo device = devices.get(i);
            assertEquals(provider().name() + ":" + i, device.name());
            assertFalse(device.description().isBlank(), device.toString());
            assertTrue(
                    0 <= device.memoryFreeBytes()
                            && device.memoryFreeBytes() <= device.memoryTotalBytes(),
                    device.toString());
        }
    }

    @Test
    void reopenedBackendFindsTheSameDevices() {
        List<String> names = backend().devices().stream().map(DeviceInfo::name).toList();

        DeviceBackend again = provider().open(options(cache));

        assertEquals(names, again.devices().stream().map(DeviceInfo::name).toList());
    }

    @Test
    void missingDeviceIsRefusedByItsName() {
        DeviceBackend backend = backend();
        for (int index :
                new int[] {-1, backend.devices().size(), Integer.MAX_VALUE, Integer.MIN_VALUE}) {
            VarveException error =
                    assertThrows(
                            VarveException.class,
                            () -> backend.open(index, DeviceOptions.automatic()).close(),
                            "device " + index);

            assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
            ProviderRules.requireLine(error);
            assertTrue(
                    error.getMessage().contains(provider().name() + ":" + index),
                    error.getMessage());
        }
    }

    @Test
    void openDeviceDescribesItself() {
        try (ComputeDevice device = device()) {
            assertEquals(provider().name() + ":0", device.info().name());
            assertFalse(device.weightBufferTypes().isEmpty(), "no place for weights");
            assertSame(device.lock(), device.lock());
        }
    }

    @Test
    void sharedDevicesShareOneLock() {
        try (ComputeDevice one = device();
                ComputeDevice two = device()) {
            assertSame(one.lock(), two.lock());
        }
    }

    @Test
    void productsMatchAPlainLoop() {
        try (ComputeDevice device = device()) {
            for (Phase phase : new Phase[] {Phase.PREFILL, Phase.DECODE, Phase.PREFILL}) {
                requireProduct(device, phase, 17 + phase.ordinal());
            }
        }
    }

    @Test
    void closedDeviceRefusesWorkAndClosesTwice() {
        try (ComputeDevice other = device()) {
            ComputeDevice device = device();
            device.close();
            device.close();

            assertThrows(
                    IllegalStateException.class, () -> requireProduct(device, Phase.DECODE, 1));
            requireProduct(other, Phase.DECODE, 2);
        }
    }

    @Test
    void threadsThatAlternateOnTheLockComputeOnOneDevice() throws Exception {
        try (ComputeDevice device = device()) {
            List<FutureTask<Object>> workers =
                    List.of(start(() -> work(device, 100)), start(() -> work(device, 200)));
            for (FutureTask<Object> worker : workers) {
                worker.get();
            }
        }
    }

    @Test
    void anyThreadMayCloseADevice() throws Exception {
        ComputeDevice device = device();

        start(
                        () -> {
                            device.close();
                            return device;
                        })
                .get();

        assertThrows(IllegalStateException.class, () -> requireProduct(device, Phase.DECODE, 1));
    }

    private static Object work(ComputeDevice device, long seed) {
        for (int i = 0; i < 20; i++) {
            requireProduct(device, i % 2 == 0 ? Phase.DECODE : Phase.PREFILL, seed + i);
        }
        return device;
    }

    /** Multiplies random matrices on the device, and compares with plain loops in double. */
    private static void requireProduct(ComputeDevice device, Phase phase, long seed) {
        float[] a = random(INNER * ROWS, seed);
        float[] b = random(INNER * COLUMNS, seed + 1);
        float[] found = product(device, phase, a, b);

        for (int column = 0; column < COLUMNS; column++) {
            for (int row = 0; row < ROWS; row++) {
                double expected = 0;
                for (int i = 0; i < INNER; i++) {
                    expected += (double) a[row * INNER + i] * b[column * INNER + i];
                }
                assertEquals(
                        expected,
                        found[column * ROWS + row],
                        TOLERANCE,
                        "row " + row + ", column " + column + ", " + phase + ", seed " + seed);
            }
        }
    }

    private static float[] random(int count, long seed) {
        Random random = new Random(seed);
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = 2 * random.nextFloat() - 1;
        }
        return values;
    }

    private static float[] product(ComputeDevice device, Phase phase, float[] a, float[] b) {
        try (GgmlContext inputs = GgmlContext.open(2, 0);
                GgmlContext nodes = GgmlContext.open(8, 8);
                GraphAllocator allocator = new GraphAllocator(device.bufferType())) {
            Tensor weights = inputs.newTensor(GgmlType.F32, INNER, ROWS);
            Tensor columns = inputs.newTensor(GgmlType.F32, INNER, COLUMNS);
            try (DeviceBuffer buffer = inputs.allocate(device.bufferType()).orElseThrow()) {
                assertTrue(buffer.size() >= weights.bytes() + columns.bytes(), "buffer");
                weights.write(a, 0, a.length, 0);
                columns.write(b, 0, b.length, 0);
                Tensor product = nodes.ops().mulMat(weights, columns).markOutput();
                Graph graph = nodes.newGraph(8);
                graph.expand(product);
                allocator.allocate(graph);
                synchronized (device.lock()) {
                    device.compute(graph, phase);
                }
                float[] values = new float[ROWS * COLUMNS];
                product.read(values, 0, values.length, 0);
                return values;
            }
        }
    }

    private static FutureTask<Object> start(Callable<Object> work) {
        FutureTask<Object> task = new FutureTask<>(work);
        Thread.ofPlatform().daemon().name("device-contract").start(task);
        return task;
    }
}
