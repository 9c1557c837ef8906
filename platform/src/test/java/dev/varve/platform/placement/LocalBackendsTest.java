package dev.varve.platform.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

class LocalBackendsTest {
    /** What a backend finds; counts how often it is loaded. */
    private static final class Listed implements DeviceBackendProvider {
        private final String name;
        private final int devices;
        private final boolean hostCores;
        private int opened;

        Listed(String name, int devices, boolean hostCores) {
            this.name = name;
            this.devices = devices;
            this.hostCores = hostCores;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public String ggmlVersion() {
            return "1";
        }

        @Override
        public DeviceBackend open(BackendOptions options) {
            opened++;
            if (devices < 0) {
                throw new VarveException(
                        VarveException.Kind.UNAVAILABLE, "lib" + name + ".so is missing");
            }
            return new DeviceBackend() {
                @Override
                public List<DeviceInfo> devices() {
                    return IntStream.range(0, devices)
                            .mapToObj(i -> new DeviceInfo(name + ":" + i, "", 1, 1, hostCores))
                            .toList();
                }

                @Override
                public ComputeDevice open(int index, DeviceOptions deviceOptions) {
                    throw new UnsupportedOperationException("lists only");
                }
            };
        }
    }

    private static LocalBackends backends(Listed... providers) {
        Map<String, DeviceBackendProvider> byName = new HashMap<>();
        for (Listed provider : providers) {
            byName.put(provider.name(), provider);
        }
        return new LocalBackends(byName, BackendOptions.packed(Path.of("cache")));
    }

    private static final Listed CPU = new Listed("cpu", 1, true);

    @Test
    void aGpuComesBeforeTheProcessor() {
        assertEquals("vulkan", backends(CPU, new Listed("vulkan", 1, false)).best());
        assertEquals(
                "cuda",
                backends(CPU, new Listed("abacus", 2, false), new Listed("cuda", 1, false)).best());
    }

    @Test
    void whatIsMissingOrComputesOnTheProcessorIsNoGpu() {
        assertEquals(
                "cpu",
                backends(
                                CPU,
                                new Listed("vulkan", 1, true),
                                new Listed("cuda", -1, false),
                                new Listed("hip", 0, false))
                        .best());
    }

    @Test
    void withoutAnyBackendTheReasonsAreTold() {
        String message =
                assertThrows(
                                VarveException.class,
                                () -> backends(new Listed("cuda", -1, false)).best())
                        .getMessage();

        assertTrue(message.contains("libcuda.so is missing"), message);
    }

    @Test
    void aBackendIsLoadedOnce() {
        Listed vulkan = new Listed("vulkan", 2, false);
        LocalBackends backends = backends(vulkan);

        backends.best();
        backends.info(DeviceReference.local("vulkan", 1));

        assertEquals(1, vulkan.opened);
    }

    @Test
    void aDeviceThatIsNotThereIsNamed() {
        LocalBackends backends = backends(CPU);

        assertTrue(
                assertThrows(
                                VarveException.class,
                                () -> backends.info(DeviceReference.local("cpu", 3)))
                        .getMessage()
                        .contains("cpu:3: there is only cpu:0"));
        assertTrue(
                assertThrows(
                                VarveException.class,
                                () -> backends.info(DeviceReference.local("npu", 0)))
                        .getMessage()
                        .contains("no plugin provides device backend npu; there are: cpu"));
    }
}
