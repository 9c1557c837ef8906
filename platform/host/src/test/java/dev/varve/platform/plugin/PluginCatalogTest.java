package dev.varve.platform.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.backend.BackendOptions;
import dev.varve.api.backend.DeviceBackend;
import dev.varve.api.backend.DeviceBackendProvider;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.api.transport.TransportProvider;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

class PluginCatalogTest {
    private record Family(Set<String> architectures) implements ModelFamilyProvider {
        @Override
        public LayerSplitAdapter open(GgufFile model, ModelOptions options) {
            throw new UnsupportedOperationException();
        }
    }

    private static LoadedPlugin plugin(String module, ModelFamilyProvider... families) {
        return plugin(module, PluginServiceKind.FAMILIES, List.of(families));
    }

    private static LoadedPlugin plugin(String module, PluginServiceKind<?> spi, List<?> providers) {
        try {
            return new LoadedPlugin(
                    new PluginOrigin(Path.of(module + ".jar"), module, Optional.empty()),
                    PluginServices.read(Map.of(spi, providers)));
        } catch (PluginRejectedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void familyIsFoundByEachOfItsArchitectures() {
        Family family = new Family(Set.of("qwen35", "qwen35moe"));

        PluginCatalog catalog = PluginCatalog.of(List.of(plugin("acme.qwen", family)));

        ModelFamilyProvider found = catalog.family("qwen35", Path.of("m.gguf"));
        assertEquals(family.architectures(), found.architectures());
        assertSame(
                family,
                catalog.loaded()
                        .getFirst()
                        .services()
                        .providers(PluginServiceKind.FAMILIES)
                        .getFirst());
        assertEquals(Set.of("qwen35", "qwen35moe"), catalog.families().keySet());
    }

    @Test
    void unknownArchitectureNamesTheFileAndTheSupportedOnes() {
        PluginCatalog catalog =
                PluginCatalog.of(List.of(plugin("acme.qwen", new Family(Set.of("qwen35")))));

        VarveException error =
                assertThrows(
                        VarveException.class,
                        () -> catalog.family("gemma4", Path.of("models/m.gguf")));

        assertEquals(VarveException.Kind.UNSUPPORTED_MODEL, error.kind());
        assertEquals(
                "m.gguf: no plugin serves architecture gemma4; known: qwen35", error.getMessage());
    }

    @Test
    void longListOfArchitecturesFollowsTheNearest() {
        Set<String> known =
                Set.of(
                        "llama",
                        "qwen2",
                        "qwen2moe",
                        "qwen3",
                        "qwen3moe",
                        "glm4",
                        "gemma3",
                        "granite",
                        "phi3");
        PluginCatalog catalog = PluginCatalog.of(List.of(plugin("acme.all", new Family(known))));

        VarveException error =
                assertThrows(
                        VarveException.class,
                        () -> catalog.family("qwen4", Path.of("models/m.gguf")));

        String expected =
                "no plugin serves architecture qwen4; nearest: qwen3; known: gemma3, glm4, granite,"
                        + " llama, phi3, qwen2, qwen2moe, qwen3, qwen3moe";
        assertEquals("m.gguf: " + expected, error.getMessage());
        assertEquals(expected, catalog.unknownArchitecture("qwen4"));
        assertTrue(catalog.unknownArchitecture("whisper").contains("whisper; known: gemma3"));
    }

    @Test
    void unknownBackendSaysThatNoPluginIsLoaded() {
        PluginCatalog catalog = PluginCatalog.discover(Path.of("no-such-folder"));

        VarveException error = assertThrows(VarveException.class, () -> catalog.backend("cuda"));

        assertEquals(VarveException.Kind.UNAVAILABLE, error.kind());
        assertEquals(
                "no plugin provides device backend cuda; no plugin is loaded", error.getMessage());
    }

    @Test
    void oneArchitectureFromTwoPluginsIsRefused() {
        List<LoadedPlugin> plugins =
                List.of(
                        plugin("acme.one", new Family(Set.of("qwen35"))),
                        plugin("acme.two", new Family(Set.of("qwen35"))));

        IllegalArgumentException error =
                assertThrows(IllegalArgumentException.class, () -> PluginCatalog.of(plugins));

        assertEquals(
                "architecture qwen35 is provided twice: by module acme.one (acme.one.jar) and by"
                        + " module acme.two (acme.two.jar)",
                error.getMessage());
    }

    @Test
    void nameProvidedTwiceByOnePluginIsRefused() {
        LoadedPlugin plugin =
                plugin("acme.twin", new Family(Set.of("a", "b")), new Family(Set.of("b")));

        IllegalArgumentException error =
                assertThrows(
                        IllegalArgumentException.class, () -> PluginCatalog.of(List.of(plugin)));

        assertEquals(
                "architecture b is provided twice: by module acme.twin (acme.twin.jar) and by"
                        + " module acme.twin (acme.twin.jar)",
                error.getMessage());
    }

    private record Backend(String name) implements DeviceBackendProvider {
        @Override
        public String ggmlVersion() {
            return "0.0.0";
        }

        @Override
        public DeviceBackend open(BackendOptions options) {
            throw new UnsupportedOperationException();
        }
    }

    @Test
    void backendFromTwoPluginsIsRefused() {
        List<LoadedPlugin> plugins =
                List.of(
                        plugin("acme.one", PluginServiceKind.BACKENDS, List.of(new Backend("npu"))),
                        plugin(
                                "acme.two",
                                PluginServiceKind.BACKENDS,
                                List.of(new Backend("npu"))));

        IllegalArgumentException error =
                assertThrows(IllegalArgumentException.class, () -> PluginCatalog.of(plugins));

        assertEquals(
                "backend npu is provided twice: by module acme.one (acme.one.jar) and by module"
                        + " acme.two (acme.two.jar)",
                error.getMessage());
    }

    @Test
    void equalNamesOfTwoKindsDoNotClash() {
        PluginCatalog catalog =
                PluginCatalog.of(
                        List.of(
                                plugin(
                                        "acme.one",
                                        PluginServiceKind.BACKENDS,
                                        List.of(new Backend("npu"))),
                                plugin(
                                        "acme.two",
                                        PluginServiceKind.TRANSPORTS,
                                        List.of(new Transport("npu"))),
                                plugin("acme.three", new Family(Set.of("npu")))));

        assertEquals(Set.of("npu"), catalog.backends().keySet());
        assertEquals("npu", catalog.transport("npu").scheme());
        assertEquals(Set.of("npu"), catalog.families().keySet());
    }

    @Test
    void resultsAreImmutable() {
        PluginCatalog catalog =
                PluginCatalog.of(List.of(plugin("acme.qwen", new Family(Set.of("qwen35")))));

        assertThrows(UnsupportedOperationException.class, () -> catalog.families().clear());
        assertThrows(UnsupportedOperationException.class, () -> catalog.loaded().clear());
        assertThrows(UnsupportedOperationException.class, () -> catalog.rejected().clear());
    }

    private record Transport(String scheme) implements TransportProvider {
        @Override
        public Connection connect(String address, TransportOptions options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Listener listen(String address, TransportOptions options) {
            throw new UnsupportedOperationException();
        }
    }

    private static LoadedPlugin transports(String module, TransportProvider... transports) {
        return plugin(module, PluginServiceKind.TRANSPORTS, List.of(transports));
    }

    @Test
    void pluginTransportIsAddedToTheBuiltInOne() {
        Transport grpc = new Transport("grpc");

        PluginCatalog catalog = PluginCatalog.of(List.of(transports("acme.net", grpc)));

        assertEquals("unix", catalog.transport("unix").scheme());
        assertEquals("grpc", catalog.transport("grpc").scheme());
        assertEquals("transports: grpc", catalog.loaded().getFirst().describeServices());
    }

    @Test
    void pluginCannotReplaceTheBuiltInTransport() {
        List<LoadedPlugin> plugins = List.of(transports("acme.net", new Transport("unix")));

        IllegalArgumentException error =
                assertThrows(IllegalArgumentException.class, () -> PluginCatalog.of(plugins));

        assertEquals(
                "transport unix is provided twice: by module dev.varve.platform (built in) and by"
                        + " module acme.net (acme.net.jar)",
                error.getMessage());
    }

    @Test
    void unknownTransportNamesTheKnownOnes() {
        PluginCatalog catalog = PluginCatalog.of(List.of());

        VarveException error =
                assertThrows(VarveException.class, () -> catalog.transport("carrier-pigeon"));

        assertEquals(
                "no transport for carrier-pigeon: addresses; known: unix; no plugin is loaded",
                error.getMessage());
    }
}
