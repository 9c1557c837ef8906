package dev.varve.platform.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * Plugins are compiled and packed by the tests; next to each bad one lies a good one, which must
 * start.
 */
class PluginDiscoveryTest {
    private static PlatformLayer platform;

    @TempDir Path folder;

    private Path plugins;
    private int packed;

    @BeforeAll
    static void openPlatform() throws ReflectiveOperationException {
        platform = PlatformLayer.open();
    }

    @BeforeEach
    void packAGoodPlugin() throws IOException {
        plugins = Files.createDirectory(folder.resolve("plugins"));
        pack(PluginJar.family("acme.good", "good", ""), "good.jar");
    }

    @Test
    void jarInTheFolderIsAPlugin() throws ReflectiveOperationException {
        JsonNode found = platform.plugins(plugins);

        assertEquals(0, found.get("rejected").size(), found.toString());
        assertGoodPluginIsLoaded(found);
    }

    @Test
    void folderOfJarsIsAPluginWithItsOwnLibraries() throws Exception {
        Path library =
                pack(
                        new PluginJar()
                                .source(
                                        "module-info.java",
                                        "module acme.library { exports acme.library; }")
                                .source(
                                        "acme/library/Name.java",
                                        "package acme.library; public final class Name { public"
                                                + " static void check() {} }"),
                        "bundle/library.jar");
        pack(
                PluginJar.family("acme.bundle", "bundled", "acme.library.Name.check();")
                        .source(
                                "module-info.java",
                                "module acme.bundle { requires dev.varve.api; requires"
                                        + " acme.library; provides"
                                        + " dev.varve.api.model.ModelFamilyProvider with"
                                        + " acme.bundle.Family; }")
                        .with(library),
                "bundle/plugin.jar");

        JsonNode found = platform.plugins(plugins);

        assertEquals(2, found.get("loaded").size(), found.toString());
        assertEquals("bundled", found.get("loaded").get(0).get("architectures").get(0).asString());
    }

    @Test
    void missingLibraryIsReportedByName() throws Exception {
        Path library =
                pack(
                        new PluginJar()
                                .source(
                                        "module-info.java",
                                        "module acme.library { exports acme.library; }")
                                .source(
                                        "acme/library/Name.java",
                                        "package acme.library; public final class Name {}"),
                        "library.jar");
        pack(
                PluginJar.family("acme.lonely", "lonely", "")
                        .source(
                                "module-info.java",
                                "module acme.lonely { requires dev.varve.api; requires"
                                        + " acme.library; provides"
                                        + " dev.varve.api.model.ModelFamilyProvider with"
                                        + " acme.lonely.Family; }")
                        .with(library),
                "lonely.jar");
        Files.delete(library);

        assertRejected("lonely.jar", "acme.library");
    }

    @Test
    void fileThatIsNoJarIsRejected() throws Exception {
        Files.writeString(plugins.resolve("text.jar"), "not a zip file");

        assertRejected("text.jar", "not a jar: ");
    }

    @Test
    void fileOfAnotherKindIsRejected() throws Exception {
        Files.writeString(plugins.resolve("notes.txt"), "buy milk");

        assertRejected("notes.txt", "expected a jar or a folder of jars");
    }

    @Test
    void emptyFolderIsRejected() throws Exception {
        Files.createDirectory(plugins.resolve("empty"));

        assertRejected("empty", "holds no jar");
    }

    @Test
    void damagedModuleDescriptorIsRejected() throws Exception {
        Path jar = plugins.resolve("damaged.jar");
        try (var out = new java.util.jar.JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new java.util.jar.JarEntry("module-info.class"));
            out.write(new byte[] {1, 2, 3, 4});
        }

        assertRejected("damaged.jar", "damaged module descriptor: ");
    }

    @Test
    void providerWhoseConstructorThrowsIsRejectedWithItsMessage() throws Exception {
        pack(
                PluginJar.family(
                        "acme.thrower",
                        "throws",
                        "if (true) throw new IllegalStateException(\"no luck\");"),
                "thrower.jar");

        assertRejected("thrower.jar", "no luck");
    }

    @Test
    void providerWithoutArchitecturesIsRejected() throws Exception {
        pack(PluginJar.family("acme.nameless", " ", ""), "nameless.jar");

        assertRejected("nameless.jar", "names no architecture");
    }

    @Test
    void moduleWithoutProvidersIsRejected() throws Exception {
        pack(
                new PluginJar()
                        .source("module-info.java", "module acme.idle { }")
                        .source("acme/idle/Idle.java", "package acme.idle; final class Idle {}"),
                "idle.jar");

        assertRejected(
                "idle.jar",
                "module acme.idle provides no model family, no device, no transport, no store, no"
                    + " shared store, no cache listener, no speculator, no trace exporter and no"
                    + " image encoder");
    }

    @Test
    void secondProviderOfAnArchitectureIsRejectedByFileAndModule() throws Exception {
        pack(PluginJar.family("acme.second", "good", ""), "second.jar");

        assertRejected(
                "second.jar",
                "architecture good is provided twice: by module acme.good (good.jar) and by module"
                        + " acme.second (second.jar)");
    }

    @Test
    void copyOfTheApiIsRejected() throws Exception {
        pack(
                new PluginJar()
                        .source("module-info.java", "module info.picocli { }")
                        .source("acme/Copy.java", "package acme; final class Copy {}"),
                "copy.jar");

        assertRejected("copy.jar", "module info.picocli, which is already part of the server");
    }

    @Test
    void pluginsWithTheSamePackagesDoNotClash() throws Exception {
        pack(
                new PluginJar()
                        .source(
                                "module-info.java",
                                "module acme.twin { requires dev.varve.api; provides"
                                        + " dev.varve.api.model.ModelFamilyProvider with"
                                        + " acme.good.Family; }")
                        .source(
                                "acme/good/Family.java",
                                PluginJar.familySource("acme.good", "twin", "")),
                "twin.jar");

        JsonNode found = platform.plugins(plugins);

        assertEquals(2, found.get("loaded").size(), found.toString());
    }

    private Path pack(PluginJar plugin, String file) throws IOException {
        return plugin.pack(folder.resolve("work" + packed++), plugins.resolve(file));
    }

    private void assertRejected(String file, String reason) throws ReflectiveOperationException {
        JsonNode found = platform.plugins(plugins);
        assertGoodPluginIsLoaded(found);
        JsonNode rejected =
                Stream.of(found.get("rejected"))
                        .flatMap(all -> all.valueStream())
                        .filter(entry -> Path.of(entry.get("file").asString()).endsWith(file))
                        .findFirst()
                        .orElseThrow(
                                () -> new AssertionError(file + " was not rejected: " + found));
        assertTrue(rejected.get("reason").asString().contains(reason), rejected.toString());
    }

    private static void assertGoodPluginIsLoaded(JsonNode found) {
        assertEquals(1, found.get("loaded").size(), found.toString());
        JsonNode good = found.get("loaded").get(0);
        assertEquals("acme.good", good.get("module").asString());
        assertEquals("good", good.get("architectures").get(0).asString());
    }
}
