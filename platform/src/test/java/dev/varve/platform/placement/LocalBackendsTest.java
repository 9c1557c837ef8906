package dev.varve.platform.placement;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.ComputeDevice;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.backend.DeviceInfo;
import dev.varve.api.backend.DeviceOptions;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

class LocalBackendsTest {
    private final List<String> opened = new ArrayList<>();

    @Test
    void theProcessorComesFirstAndEachBackendOnce() {
        LocalBackends backends = backends(provider("cpu", true), provider("vulkan", true));

        DeviceBackend first = backends.open("vulkan");

        assertSame(first, backends.open("vulkan"));
        backends.open("cpu");
        assertEquals(List.of("cpu", "vulkan"), opened);
    }

    @Test
    void withoutTheProcessorsPluginNoOtherBackendIsOpened() {
        LocalBackends backends = backends(provider("vulkan", true));

        VarveException error = assertThrows(VarveException.class, () -> backends.open("vulkan"));

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertEquals(
                "backend vulkan needs ggml's base library, and no plugin provides backend cpu,"
                        + " which brings it",
                error.getMessage());
        assertEquals(List.of(), opened);
    }

    @Test
    void aRendererOnTheProcessorsCoresIsNotTheBestBackend() {
        assertEquals("cpu", backends(provider("cpu", true), provider("vulkan", true)).best());
        assertEquals("vulkan", backends(provider("cpu", true), provider("vulkan", false)).best());
    }

    private static LocalBackends backends(DeviceBackendProvider... providers) {
        Map<String, DeviceBackendProvider> byName =
                Arrays.stream(providers)
                        .collect(
                                Collectors.toMap(DeviceBackendProvider::name, Function.identity()));
        return new LocalBackends(byName, BackendOptions.packed(Path.of("unused")));
    }

    private DeviceBackendProvider provider(String name, boolean hostCores) {
        return new DeviceBackendProvider() {
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
                opened.add(name);
                return new Listed(new DeviceInfo(name + ":0", name, 1, 1, hostCores));
            }
        };
    }

    private record Listed(DeviceInfo device) implements DeviceBackend {
        @Override
        public List<DeviceInfo> devices() {
            return List.of(device);
        }

        @Override
        public ComputeDevice open(int index, DeviceOptions options) {
            throw new AssertionError("nothing computes in this test");
        }
    }
}
