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
    void processorComesFirstAndEachBackendOnce() {
        LocalBackends backends = backends(provider("cpu", true), provider("vulkan", true));

        DeviceBackend first = backends.open("vulkan");

        assertSame(first, backends.open("vulkan"));
        backends.open("cpu");
        assertEquals(List.of("cpu", "vulkan"), opened);
    }

    @Test
    void withoutTheCpuPluginNoOtherBackendIsOpened() {
        LocalBackends backends = backends(provider("vulkan", true));

        VarveException error = assertThrows(VarveException.class, () -> backends.open("vulkan"));

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertEquals(
                "backend vulkan needs ggml's base library, and no plugin provides backend cpu,"
                        + " which provides it",
                error.getMessage());
        assertEquals(List.of(), opened);
    }

    @Test
    void softwareRendererIsNotTheBestBackend() {
        assertEquals("cpu", backends(provider("cpu", true), provider("vulkan", true)).best());
        assertEquals("vulkan", backends(provider("cpu", true), provider("vulkan", false)).best());
    }

    @Test
    void failedBackendIsNotLoadedAgain() {
        LocalBackends backends =
                backends(provider("cpu", true), broken("vulkan", "the Vulkan loader is missing"));

        VarveException first = assertThrows(VarveException.class, () -> backends.open("vulkan"));
        assertEquals("cpu", backends.best());
        VarveException second = assertThrows(VarveException.class, () -> backends.open("vulkan"));

        assertEquals("the Vulkan loader is missing", first.getMessage());
        assertSame(first, second);
        assertEquals(List.of("cpu", "vulkan"), opened);
    }

    @Test
    void backendOfAnotherReleaseIsRefusedWithBothVersions() {
        LocalBackends backends =
                backends(provider("cpu", true), provider("hip", "0.26.0", this::listed));

        VarveException error = assertThrows(VarveException.class, () -> backends.open("hip"));

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertEquals(
                "backend hip was built for ggml 0.26.0, but this process uses ggml 0.25.1; a shard"
                        + " process with plugins of that release can use it",
                error.getMessage());
        assertEquals(List.of(), opened, "nothing was loaded");
    }

    private static LocalBackends backends(DeviceBackendProvider... providers) {
        Map<String, DeviceBackendProvider> byName =
                Arrays.stream(providers)
                        .collect(
                                Collectors.toMap(DeviceBackendProvider::name, Function.identity()));
        return new LocalBackends(byName, BackendOptions.packed(Path.of("unused")));
    }

    private DeviceBackendProvider provider(String name, boolean hostCores) {
        return provider(
                name,
                "0.25.1",
                backend -> new Listed(new DeviceInfo(backend + ":0", backend, 1, 1, hostCores)));
    }

    private DeviceBackendProvider broken(String name, String reason) {
        return provider(
                name,
                "0.25.1",
                backend -> {
                    throw new VarveException(VarveException.Kind.UNAVAILABLE, reason);
                });
    }

    private DeviceBackend listed(String backend) {
        return new Listed(new DeviceInfo(backend + ":0", backend, 1, 1, false));
    }

    private DeviceBackendProvider provider(
            String name, String ggmlVersion, Function<String, DeviceBackend> open) {
        return new DeviceBackendProvider() {
            @Override
            public String name() {
                return name;
            }

            @Override
            public String ggmlVersion() {
                return ggmlVersion;
            }

            @Override
            public DeviceBackend open(BackendOptions options) {
                opened.add(name);
                return open.apply(name);
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
