package dev.varve.plugin.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.ggml.GgmlLibrary;

import org.junit.jupiter.api.Test;

import java.lang.invoke.MethodHandles;
import java.lang.module.ModuleDescriptor;
import java.util.List;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * All tests of this module run on the module path, as the plugin does in the server. These show
 * that they do, and what its descriptor grants.
 */
class ModulePathTest {
    private final Module plugin = getClass().getModule();
    private final Module api = DeviceBackendProvider.class.getModule();
    private final Module ggml = GgmlLibrary.class.getModule();

    @Test
    void pluginAndApiAreNamedModules() {
        assertTrue(plugin.isNamed(), plugin.toString());
        assertEquals("dev.varve.plugin.cpu", plugin.getName());
        assertEquals(plugin, CpuBackendProvider.class.getModule());
        assertTrue(api.isNamed(), api.toString());
        assertEquals("dev.varve.api", api.getName());
    }

    @Test
    void pluginRequiresTheApiAndTheJdkOnly() {
        assertEquals(
                Set.of("java.base", "dev.varve.api"),
                plugin.getDescriptor().requires().stream()
                        .map(ModuleDescriptor.Requires::name)
                        .collect(Collectors.toSet()));
    }

    /** By the {@code provides} of its descriptor; a module's services file is not read. */
    @Test
    void serviceLoaderCreatesTheProviderWithoutAnExport() {
        plugin.addUses(DeviceBackendProvider.class);

        List<DeviceBackendProvider> found =
                ServiceLoader.load(plugin.getLayer(), DeviceBackendProvider.class).stream()
                        .filter(provider -> provider.type().getModule() == plugin)
                        .map(ServiceLoader.Provider::get)
                        .toList();

        assertEquals(List.of("cpu"), found.stream().map(DeviceBackendProvider::name).toList());
        assertEquals(CpuBackendProvider.class, found.getFirst().getClass());
    }

    /** By its descriptor; the tests' runner opens the package to itself. */
    @Test
    void pluginExportsAndOpensNothing() {
        assertEquals(Set.of(), plugin.getDescriptor().exports());
        assertEquals(Set.of(), plugin.getDescriptor().opens());
        assertFalse(plugin.getDescriptor().isOpen(), "an open module");
    }

    @Test
    void pluginUsesApiExportsAndCannotOpenThem() {
        assertTrue(plugin.canRead(ggml), "the API passes the binding on");
        assertTrue(ggml.isExported("dev.varve.api.ggml", plugin));
        assertFalse(ggml.isOpen("dev.varve.api.ggml", plugin));

        assertThrows(
                IllegalAccessException.class,
                () -> MethodHandles.privateLookupIn(GgmlLibrary.class, MethodHandles.lookup()));
    }

    @Test
    void onlyTheBindingMayCallNativeCode() {
        assertTrue(ggml.isNativeAccessEnabled());
        assertFalse(api.isNativeAccessEnabled());
        assertFalse(plugin.isNativeAccessEnabled());
    }
}
