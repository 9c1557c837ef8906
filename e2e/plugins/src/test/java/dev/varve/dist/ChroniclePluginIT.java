package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The store of Chronicle Map as part of the installation. */
class ChroniclePluginIT {
    private static final Path PLUGIN = Varve.INSTALLATION.resolve("plugins/varve-plugin-chronicle");

    @TempDir Path folder;

    private Path home;

    @BeforeEach
    void makeAHome() throws IOException {
        home = Files.createDirectory(folder.resolve("home"));
    }

    private record Outcome(int status, String out, String err) {}

    @Test
    void pluginIsListedWithItsStore() throws Exception {
        Varve varve = new Varve(Varve.INSTALLATION, folder);

        Varve.Outcome json = varve.run("plugins", "--json", "--log-level", "off");
        Varve.Outcome text = varve.run("plugins");

        JsonNode plugins = JsonMapper.shared().readTree(json.out());
        List<String> stores = new ArrayList<>();
        for (JsonNode plugin : plugins.get("loaded")) {
            plugin.get("stores").forEach(store -> stores.add(store.asString()));
        }
        assertEquals(List.of("chronicle"), stores, json.out());
        assertTrue(plugins.get("rejected").isEmpty(), json.out());
        assertTrue(text.out().contains("stores: chronicle"), text.out());
    }

    /** Whatever the libraries write, warn of, or leave open would be seen. */
    @Test
    void storeLogsNothing() throws Exception {
        Outcome outcome = probe(options(PLUGIN.resolve("java.options")));

        assertEquals("", outcome.err());
        assertEquals(
                """
                1 value through dev.varve.plugin.chronicle/lib
                reports usage: false
                sockets: []
                """,
                outcome.out());
        assertEquals(0, outcome.status());
        try (Stream<Path> files = Files.list(home)) {
            assertEquals(List.of(), files.toList(), "files in the home of the user");
        }
    }

    @Test
    void noUsageReportingIsInstalled() throws Exception {
        try (Stream<Path> jars = Files.list(PLUGIN.resolve("lib"))) {
            List<String> names = jars.map(jar -> jar.getFileName().toString()).toList();

            assertTrue(names.stream().noneMatch(name -> name.contains("analytics")), "" + names);
            assertTrue(
                    names.stream().noneMatch(name -> name.matches("j(na|ffi|nr).*")), "" + names);
        }
    }

    @Test
    void missingJavaOptionsAreAnErrorThatNamesThem() throws Exception {
        Outcome outcome = probe(List.of());

        assertEquals(0, outcome.status(), outcome.toString());
        assertTrue(
                outcome.out().startsWith("refused: ")
                        && outcome.out().contains("--add-opens=java.base/java.lang=ALL-UNNAMED")
                        && outcome.out().contains("--add-exports=java.base/sun.nio.ch=ALL-UNNAMED"),
                outcome.out());
    }

    private static List<String> options(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .toList();
    }

    private Outcome probe(List<String> options) throws Exception {
        Path out = folder.resolve("out.txt");
        Path err = folder.resolve("err.txt");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options(Varve.INSTALLATION.resolve("conf/java.options")));
        command.addAll(options);
        command.addAll(
                List.of(
                        "-Duser.home=" + home,
                        "--module-path",
                        Varve.INSTALLATION.resolve("lib").toString(),
                        "--add-modules",
                        "dev.varve.platform.host",
                        "--add-exports",
                        "dev.varve.platform.host/dev.varve.platform.plugin=ALL-UNNAMED",
                        "--add-opens",
                        "dev.varve.platform.host/dev.varve.platform.plugin=ALL-UNNAMED",
                        "--enable-native-access=dev.varve.ggml",
                        "-cp",
                        Path.of(
                                        StoreProbe.class
                                                .getProtectionDomain()
                                                .getCodeSource()
                                                .getLocation()
                                                .toURI())
                                .toString(),
                        StoreProbe.class.getName(),
                        Varve.INSTALLATION.resolve("plugins").toString(),
                        folder.resolve("store").toString()));
        int status =
                new ProcessBuilder(command)
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start()
                        .waitFor();
        return new Outcome(status, Files.readString(out), Files.readString(err));
    }
}
