package dev.varve.platform.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelFamilyProvider;
import dev.varve.api.model.ModelOptions;
import dev.varve.api.transport.Connection;
import dev.varve.api.transport.Listener;
import dev.varve.api.transport.TransportOptions;
import dev.varve.api.transport.TransportProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

class PluginServicesTest {
    private static final class Provider implements ModelFamilyProvider, TransportProvider {
        private final Supplier<Set<String>> architectures;
        private final Supplier<String> scheme;
        private int asked;

        Provider(Supplier<Set<String>> architectures, Supplier<String> scheme) {
            this.architectures = architectures;
            this.scheme = scheme;
        }

        @Override
        public Set<String> architectures() {
            asked++;
            return architectures.get();
        }

        @Override
        public LayerSplitAdapter open(GgufFile model, ModelOptions options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String scheme() {
            return scheme.get();
        }

        @Override
        public Connection connect(String address, TransportOptions options) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Listener listen(String address, TransportOptions options) {
            throw new UnsupportedOperationException();
        }
    }

    private static PluginServices read(PluginServiceKind<?> spi, Object... providers)
            throws PluginRejectedException {
        return PluginServices.read(Map.of(spi, List.of(providers)));
    }

    @Test
    void namesAreSortedWithinAProviderAndKeepProviderOrder() throws PluginRejectedException {
        PluginServices services =
                read(
                        PluginServiceKind.FAMILIES,
                        new Provider(() -> Set.of("z", "m"), () -> "unused"),
                        new Provider(() -> Set.of("a"), () -> "unused"));

        assertEquals(List.of("m", "z", "a"), services.names(PluginServiceKind.FAMILIES));
        assertEquals("models: m, z, a", services.toString());
    }

    @Test
    void namesOfAProviderAreReadOnce() throws PluginRejectedException {
        Provider provider = new Provider(() -> Set.of("a"), () -> "unused");

        PluginServices services = read(PluginServiceKind.FAMILIES, provider);
        services.names(PluginServiceKind.FAMILIES);
        services.names(PluginServiceKind.FAMILIES);

        assertEquals(1, provider.asked);
        assertSame(provider, services.providers(PluginServiceKind.FAMILIES).getFirst());
    }

    /** A class may implement two services, and may be declared for one of them. */
    @Test
    void providerServesOnlyItsDeclaredServices() throws PluginRejectedException {
        PluginServices services =
                read(PluginServiceKind.TRANSPORTS, new Provider(() -> Set.of("a"), () -> "acme"));

        assertEquals(List.of("acme"), services.names(PluginServiceKind.TRANSPORTS));
        assertEquals(List.of(), services.names(PluginServiceKind.FAMILIES));
        assertEquals(List.of(), services.providers(PluginServiceKind.BACKENDS));
        assertEquals("transports: acme", services.toString());
    }

    @Test
    void emptyServicesHaveAnEmptyDescription() throws PluginRejectedException {
        assertEquals("", PluginServices.read(Map.of()).toString());
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " ", "Grpc", "3d", "a:b", "a b", "ä", "a/b", "null "})
    void untypableSchemeIsRefused(String scheme) {
        PluginRejectedException error =
                assertThrows(
                        PluginRejectedException.class,
                        () ->
                                read(
                                        PluginServiceKind.TRANSPORTS,
                                        new Provider(Set::of, () -> scheme)));

        assertEquals(
                Provider.class.getName()
                        + ": expected a transport scheme of lower-case letters and digits, found "
                        + scheme,
                error.getMessage());
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", "grpc", "tcp-4", "x_1"})
    void plainWordIsAScheme(String scheme) throws PluginRejectedException {
        PluginServices services =
                read(PluginServiceKind.TRANSPORTS, new Provider(Set::of, () -> scheme));

        assertEquals(List.of(scheme), services.names(PluginServiceKind.TRANSPORTS));
    }

    @Test
    void missingEmptyAndNullArchitecturesAreRefused() {
        for (Set<String> names :
                Arrays.asList(null, Set.<String>of(), Set.of("a", " "), setOfNull())) {
            PluginRejectedException error =
                    assertThrows(
                            PluginRejectedException.class,
                            () ->
                                    read(
                                            PluginServiceKind.FAMILIES,
                                            new Provider(() -> names, () -> "x")),
                            "names: " + names);

            assertEquals(Provider.class.getName() + " names no architecture", error.getMessage());
        }
    }

    private static Set<String> setOfNull() {
        Set<String> names = new HashSet<>();
        names.add(null);
        return names;
    }

    @Test
    void providerThatFailsToNameItselfIsReported() {
        for (Throwable problem :
                List.of(
                        new IllegalStateException("no luck"),
                        new NoSuchMethodError("no luck"),
                        new StackOverflowError("no luck"))) {
            PluginRejectedException error =
                    assertThrows(
                            PluginRejectedException.class,
                            () ->
                                    read(
                                            PluginServiceKind.FAMILIES,
                                            new Provider(() -> fail(problem), () -> "x")));

            assertTrue(
                    error.getMessage().startsWith("its code fails: " + Provider.class.getName()),
                    error.getMessage());
            assertTrue(
                    error.getMessage()
                            .endsWith(
                                    " when asked for its architecture: "
                                            + problem.getClass().getSimpleName()
                                            + ": no luck"),
                    error.getMessage());
            assertSame(problem, error.getCause());
        }
    }

    private static Set<String> fail(Throwable problem) {
        if (problem instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) problem;
    }

    @Test
    void everyKindHasAUniqueMachineReadableName() {
        Set<String> keys = new HashSet<>();

        PluginServiceKind.ALL.forEach(spi -> keys.add(spi.key()));

        assertEquals(
                Set.of(
                        "architectures",
                        "backends",
                        "transports",
                        "stores",
                        "shared_stores",
                        "cache_listeners",
                        "speculators",
                        "trace_exporters",
                        "image_encoders"),
                keys);
        assertEquals(
                "no model family, no device, no transport, no store, no shared store, no cache"
                        + " listener, no speculator, no trace exporter and no image encoder",
                PluginServiceKind.none());
    }
}
