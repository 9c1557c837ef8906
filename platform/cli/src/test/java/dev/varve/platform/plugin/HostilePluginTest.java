package dev.varve.platform.plugin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.testkit.Qwen35Model;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * Plugins that break the rules, each compiled here: the server names them by file and says why, and
 * starts the one beside them. One file, since each case is a few lines of source for the same
 * compiler and folder.
 */
class HostilePluginTest {
    private static final String NO_LUCK = "throw new IllegalStateException(\"no luck\");";

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
        pack(PluginJar.family("acme.good", "good", ""), plugins.resolve("good.jar"));
    }

    // Modules

    @ParameterizedTest
    @ValueSource(strings = {"requires", "requires static", "requires transitive"})
    void pluginThatRequiresTheServerIsRefused(String requires) throws Exception {
        pack(
                PluginJar.family("acme.insider", "insider", "")
                        .source(
                                "module-info.java",
                                "module acme.insider { requires dev.varve.api; "
                                        + requires
                                        + " dev.varve.platform; provides"
                                        + " dev.varve.api.model.ModelFamilyProvider with"
                                        + " acme.insider.Family; }")
                        .with(serverToCompileAgainst()),
                plugins.resolve("insider.jar"));

        assertRejected(
                "insider.jar",
                "module acme.insider requires dev.varve.platform, which is internal to the"
                        + " server; a plugin may use only the module dev.varve.api of Varve");
    }

    @Test
    void pluginWhoseLibraryRequiresTheServerIsRefused() throws Exception {
        Path library =
                pack(
                        new PluginJar()
                                .source(
                                        "module-info.java",
                                        "module acme.library { requires dev.varve.platform;"
                                                + " exports acme.library; }")
                                .source(
                                        "acme/library/Name.java",
                                        "package acme.library; public final class Name {}")
                                .with(serverToCompileAgainst()),
                        plugins.resolve("bundle/library.jar"));
        pack(
                PluginJar.family("acme.bundle", "bundled", "").with(library),
                plugins.resolve("bundle/plugin.jar"));

        assertRejected("bundle", "module acme.library requires dev.varve.platform");
    }

    /** A jar without a descriptor may read every module, so its classes are looked at. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "dev.varve.platform.Inside.touch();",
                "try { Class.forName(\"dev.varve.platform.cli.Main\"); } catch"
                        + " (ClassNotFoundException e) { throw new IllegalStateException(e); }"
            })
    void jarWithoutDescriptorThatUsesTheServerIsRefused(String statement) throws Exception {
        pack(
                PluginJar.automatic("acme.plain", "plain", statement)
                        .with(serverToCompileAgainst()),
                plugins.resolve("plain.jar"));

        assertRejected(
                "plain.jar",
                "module plain, which has no descriptor, uses dev.varve.platform in"
                        + " acme/plain/Family.class");
    }

    @Test
    void jarWithoutDescriptorThatUsesTheApiOnlyIsAPlugin() throws Exception {
        pack(PluginJar.automatic("acme.plain", "plain", ""), plugins.resolve("plain.jar"));

        JsonNode found = platform.plugins(plugins);

        assertEquals(List.of("good", "plain"), architectures(found), found.toString());
        assertEquals("plain", found.get("loaded").get(1).get("module").asString());
    }

    /** The class path of a manifest means nothing on the module path. */
    @Test
    void classPathManifestCannotReachTheServer() throws Exception {
        Path server = serverToCompileAgainst();
        pack(
                PluginJar.automatic("acme.plain", "plain", "dev.varve.platform.Inside.touch();")
                        .resource(
                                "META-INF/MANIFEST.MF",
                                "Manifest-Version: 1.0\nAutomatic-Module-Name: acme.plain\n"
                                        + "Class-Path: "
                                        + server.getFileName()
                                        + "\n")
                        .with(server),
                plugins.resolve("plain.jar"));

        assertRejected(
                "plain.jar", "module acme.plain, which has no descriptor, uses dev.varve.platform");
    }

    @Test
    void pluginWithAPackageOfTheServerIsRefused() throws Exception {
        pack(
                PluginJar.family("acme.impostor", "impostor", "")
                        .source(
                                "dev/varve/platform/cli/Main.java",
                                "package dev.varve.platform.cli; public final class Main {}"),
                plugins.resolve("impostor.jar"));

        assertRejected(
                "impostor.jar",
                "module acme.impostor contains package dev.varve.platform.cli, which is"
                        + " part of the server");
    }

    @Test
    void pluginWithAPackageOfTheApiIsRefused() throws Exception {
        Path api = plugins.resolve("copy.jar");
        pack(
                new PluginJar()
                        .source("module-info.java", "module acme.copy { }")
                        .source(
                                "dev/varve/api/VarveException.java",
                                "package dev.varve.api; final class VarveException {}"),
                api);

        assertRejected("copy.jar", "module acme.copy provides no model family");
    }

    @Test
    void twoModulesOfOneNameInAFolderAreRefused() throws Exception {
        for (String file : List.of("one.jar", "two.jar")) {
            pack(PluginJar.family("acme.twin", "twin", ""), plugins.resolve("twins").resolve(file));
        }

        assertRejected("twins", "acme.twin");
    }

    @Test
    void modulesOfAFolderThatShareAPackageAreRefused() throws Exception {
        for (String module : List.of("acme.left", "acme.right")) {
            pack(
                    new PluginJar()
                            .source(
                                    "module-info.java",
                                    "module "
                                            + module
                                            + " { requires dev.varve.api; exports acme.shared;"
                                            + " provides dev.varve.api.model.ModelFamilyProvider"
                                            + " with acme.shared.Family; }")
                            .source(
                                    "acme/shared/Family.java",
                                    PluginJar.familySource("acme.shared", module, "")),
                    plugins.resolve("clash").resolve(module + ".jar"));
        }

        assertRejected("clash", "acme.shared");
    }

    /** Two plugins may carry a library of one name; neither sees the other's. */
    @Test
    void pluginsWithDifferentReleasesOfALibraryBothStart() throws Exception {
        for (String release : List.of("one", "two")) {
            Path library =
                    pack(
                            new PluginJar()
                                    .source(
                                            "module-info.java",
                                            "module acme.library { exports acme.library; }")
                                    .source(
                                            "acme/library/Release.java",
                                            "package acme.library; public final class Release {"
                                                    + " public static String name() { return \""
                                                    + release
                                                    + "\"; } }"),
                            plugins.resolve(release + "/library.jar"));
            pack(
                    PluginJar.family(
                                    "acme." + release,
                                    new PluginJar.Methods(
                                            "return Set.of(acme.library.Release.name());", NO_LUCK))
                            .source(
                                    "module-info.java",
                                    "module acme."
                                            + release
                                            + " { requires dev.varve.api; requires acme.library;"
                                            + " provides dev.varve.api.model.ModelFamilyProvider"
                                            + " with acme."
                                            + release
                                            + ".Family; }")
                            .with(library),
                    plugins.resolve(release + "/plugin.jar"));
        }

        JsonNode found = platform.plugins(plugins);

        assertEquals(List.of("good", "one", "two"), architectures(found), found.toString());
    }

    // Files

    @Test
    void nestedFoldersOfAPluginAreIgnored() throws Exception {
        pack(
                PluginJar.family("acme.deep", "deep", ""),
                plugins.resolve("outer/lib/inner/deep.jar"));
        pack(PluginJar.family("acme.outer", "outer", ""), plugins.resolve("outer/outer.jar"));

        JsonNode found = platform.plugins(plugins);

        assertEquals(List.of("good", "outer"), architectures(found), found.toString());
    }

    @Test
    void folderWithOnlyFoldersIsRefused() throws Exception {
        pack(PluginJar.family("acme.deep", "deep", ""), plugins.resolve("outer/inner/deep.jar"));

        assertRejected("outer", "the folder holds no jar");
    }

    @Test
    void hiddenEntriesAreNotPlugins() throws Exception {
        Files.writeString(plugins.resolve(".DS_Store"), "not for us");
        Files.createDirectory(plugins.resolve(".git"));

        assertEquals(List.of("good"), architectures(platform.plugins(plugins)));
    }

    @Test
    void danglingLinkIsRefused() throws Exception {
        Files.createSymbolicLink(plugins.resolve("gone.jar"), folder.resolve("nowhere.jar"));

        assertRejected("gone.jar", "");
    }

    /** Bytes cut off anywhere, and bytes changed anywhere: a reason or a plugin, never a crash. */
    @Test
    void damagedJarIsReportedWithAReason() throws Exception {
        byte[] good = Files.readAllBytes(plugins.resolve("good.jar"));
        Random random = new Random(4711);
        List<Path> damaged = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            byte[] bytes = java.util.Arrays.copyOf(good, random.nextInt(good.length));
            damaged.add(
                    Files.write(
                            plugins.resolve(String.format(Locale.ROOT, "cut%02d.jar", i)), bytes));
        }
        for (int i = 0; i < 40; i++) {
            byte[] bytes = good.clone();
            random.ints(8, 0, bytes.length)
                    .forEach(at -> bytes[at] ^= (byte) random.nextInt(1, 256));
            damaged.add(
                    Files.write(
                            plugins.resolve(String.format(Locale.ROOT, "odd%02d.jar", i)), bytes));
        }
        Files.move(plugins.resolve("good.jar"), plugins.resolve("a-good.jar"));

        JsonNode found = platform.plugins(plugins);

        assertTrue(architectures(found).contains("good"), found.toString());
        assertEquals(damaged.size() + 1, found.get("loaded").size() + found.get("rejected").size());
        assertTrue(found.get("rejected").size() > damaged.size() / 2, found.toString());
        for (JsonNode rejected : found.get("rejected").values()) {
            assertFalse(rejected.get("reason").asString().isBlank(), rejected.toString());
            assertFalse(rejected.get("reason").asString().contains("\n"), rejected.toString());
        }
    }

    @Test
    void invalidProviderIsRefused() throws Exception {
        Path jar = plugins.resolve("text.jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(
                    new JarEntry("META-INF/services/dev.varve.api.model.ModelFamilyProvider"));
            out.write("acme.Missing\n".getBytes(java.nio.charset.StandardCharsets.UTF_8));
        }

        assertRejected("text.jar", "acme.Missing");
    }

    // Code

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "if (true) throw new IllegalStateException(\"no luck\"); |"
                        + " IllegalStateException: no luck",
                "if (true) throw new NullPointerException(); | java.lang.NullPointerException",
                "if (true) throw new NoSuchMethodError(\"gone\"); | NoSuchMethodError: gone",
                "if (true) throw new AssertionError(\"odd\"); | AssertionError: odd",
                "class Late { static final int N = Integer.parseInt(\"\"); } Object o = Late.N; |"
                        + " NumberFormatException: For input string",
                "new Family(); | java.lang.StackOverflowError",
                "Object o = Integer.valueOf(1 / (int) (System.nanoTime() * 0)); |"
                        + " ArithmeticException: / by zero"
            })
    void failingConstructorIsReportedWithClassAndModule(String statement, String reason)
            throws Exception {
        pack(PluginJar.family("acme.thrower", "throws", statement), plugins.resolve("thrower.jar"));

        assertRejected(
                "thrower.jar",
                "its code fails: acme.thrower.Family of module acme.thrower during construction: "
                        + reason);
    }

    @Test
    void failingNamesAreReportedWithClassAndModule() throws Exception {
        pack(
                PluginJar.family("acme.thrower", new PluginJar.Methods(NO_LUCK, NO_LUCK)),
                plugins.resolve("thrower.jar"));

        assertRejected(
                "thrower.jar",
                "its code fails: acme.thrower.Family of module acme.thrower when asked for its"
                        + " architecture: IllegalStateException: no luck");
    }

    /** As of classes that are first used there. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "throw new AssertionError(\"odd\"); | AssertionError: odd",
                "throw new Error(\"odd\"); | Error: odd",
                "throw new ExceptionInInitializerError(\"odd\"); | ExceptionInInitializerError:"
                        + " odd",
                "class Late { static final Set<String> NAMES = Set.of(\"a\", \"a\"); } return"
                        + " Late.NAMES; | IllegalArgumentException: duplicate element: a",
            })
    void pluginErrorWhileReadingNamesIsReported(String architectures, String reason)
            throws Exception {
        pack(
                PluginJar.family("acme.thrower", new PluginJar.Methods(architectures, NO_LUCK)),
                plugins.resolve("thrower.jar"));

        assertRejected("thrower.jar", "when asked for its architecture: " + reason);
    }

    @Test
    void providerWithoutNamesIsRefused() throws Exception {
        pack(
                PluginJar.family("acme.nameless", new PluginJar.Methods("return null;", NO_LUCK)),
                plugins.resolve("nameless.jar"));

        assertRejected("nameless.jar", "acme.nameless.Family names no architecture");
    }

    @Test
    void untypableBackendAndTransportNamesAreRefused() throws Exception {
        pack(device("acme.device", "My Device"), plugins.resolve("device.jar"));

        assertRejected(
                "device.jar",
                "acme.device.Provider: expected a backend name of lower-case letters and digits,"
                        + " found My Device");
    }

    @Test
    void secondBackendOfANameIsRefusedByFileAndModule() throws Exception {
        pack(device("acme.one", "npu"), plugins.resolve("a-one.jar"));
        pack(device("acme.two", "npu"), plugins.resolve("b-two.jar"));

        JsonNode found = platform.plugins(plugins);

        assertEquals(2, found.get("loaded").size(), found.toString());
        assertEquals(
                "backend npu is provided twice: by module acme.one (a-one.jar) and by module"
                        + " acme.two (b-two.jar)",
                found.get("rejected").get(0).get("reason").asString());
    }

    // Opening

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "throw new IllegalStateException(\"no luck\"); | open fails: IllegalStateException:"
                        + " no luck",
                "return null; | open returned null",
                "throw new NoSuchMethodError(\"gone()\"); | open fails: NoSuchMethodError: gone()",
                "throw new AssertionError(\"odd\"); | open fails: AssertionError: odd",
                "class Late { static final int N = Integer.parseInt(\"\"); } throw new"
                        + " IllegalStateException(\"\" + Late.N); | open fails:"
                        + " NumberFormatException: For input string",
            })
    void familyThatFailsToOpenAModelIsNamedByFileAndModule(String open, String failure)
            throws Exception {
        pack(
                PluginJar.family(
                        "acme.opener", new PluginJar.Methods("return Set.of(\"qwen35\");", open)),
                plugins.resolve("opener.jar"));
        Path model = Qwen35Model.tiny().write(folder);

        PlatformLayer.Outcome outcome =
                platform.run(
                        "inspect",
                        "--plugins",
                        plugins.toString(),
                        "--log-level",
                        "off",
                        "--model",
                        model.toString());

        assertEquals(0, outcome.status(), outcome.toString());
        assertTrue(
                outcome.out()
                        .contains(
                                "The model cannot be loaded: module acme.opener (opener.jar):"
                                        + " acme.opener.Family."
                                        + failure),
                outcome.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "throw new IllegalStateException(\"no luck\"); | fails: IllegalStateException: no"
                        + " luck",
                "return null; | returned null",
                "class Late { static final int N = Integer.parseInt(\"\"); } throw new"
                        + " IllegalStateException(\"\" + Late.N); | fails:"
                        + " NumberFormatException: For input string",
            })
    void backendThatFailsToOpenIsUnavailableAndNamedByFileAndModule(String open, String failure)
            throws Exception {
        pack(device("acme.cpu", "cpu", open), plugins.resolve("npu.jar"));

        PlatformLayer.Outcome outcome =
                platform.run("devices", "--plugins", plugins.toString(), "--log-level", "off");

        assertTrue(
                (outcome.out() + outcome.err())
                        .contains("module acme.cpu (npu.jar): acme.cpu.Provider.open " + failure),
                outcome.toString());
    }

    private static PluginJar device(String module, String name) {
        return device(module, name, NO_LUCK);
    }

    private static PluginJar device(String module, String name, String open) {
        return new PluginJar()
                .source(
                        "module-info.java",
                        String.format(
                                Locale.ROOT,
                                "module %s { requires dev.varve.api; provides"
                                        + " dev.varve.api.backend.DeviceBackendProvider with"
                                        + " %s.Provider; }",
                                module,
                                module))
                .source(
                        module.replace('.', '/') + "/Provider.java",
                        String.format(
                                Locale.ROOT,
                                """
                                package %s;

                                import dev.varve.api.backend.*;

                                public final class Provider implements DeviceBackendProvider {
                                    @Override
                                    public String name() {
                                        return "%s";
                                    }

                                    @Override
                                    public String ggmlVersion() {
                                        return "0.25.1";
                                    }

                                    @Override
                                    public DeviceBackend open(BackendOptions options) {
                                        %s
                                    }
                                }
                                """,
                                module,
                                name,
                                open));
    }

    /** A module of the server's name with something to use; it never reaches the plugins. */
    private Path serverToCompileAgainst() throws IOException {
        return pack(
                new PluginJar()
                        .source(
                                "module-info.java",
                                "module dev.varve.platform { exports dev.varve.platform; }")
                        .source(
                                "dev/varve/platform/Inside.java",
                                "package dev.varve.platform; public final class Inside { public"
                                        + " static void touch() {} }"),
                folder.resolve("server.jar"));
    }

    private Path pack(PluginJar plugin, Path jar) throws IOException {
        return plugin.pack(folder.resolve("work" + packed++), jar);
    }

    private static List<String> architectures(JsonNode found) {
        return found.get("loaded")
                .valueStream()
                .flatMap(plugin -> plugin.get("architectures").valueStream())
                .map(JsonNode::asString)
                .toList();
    }

    private void assertRejected(String file, String reason) throws ReflectiveOperationException {
        JsonNode found = platform.plugins(plugins);
        assertEquals(List.of("good"), architectures(found), found.toString());
        JsonNode rejected =
                Stream.of(found.get("rejected"))
                        .flatMap(JsonNode::valueStream)
                        .filter(entry -> Path.of(entry.get("file").asString()).endsWith(file))
                        .findFirst()
                        .orElseThrow(
                                () -> new AssertionError(file + " was not rejected: " + found));
        assertTrue(rejected.get("reason").asString().contains(reason), rejected.toString());
        assertFalse(rejected.get("reason").asString().isBlank(), rejected.toString());
    }
}
