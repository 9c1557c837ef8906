package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The gRPC transport as part of the installation. */
class GrpcPluginIT {
    @TempDir Path folder;

    @Test
    void pluginIsListedWithoutRejections() throws Exception {
        Varve.Outcome outcome =
                new Varve(Varve.INSTALLATION, folder)
                        .run("plugins", "--json", "--log-level", "off");

        assertEquals(0, outcome.status(), outcome.toString());
        JsonNode plugins = JsonMapper.shared().readTree(outcome.out());
        assertTrue(
                plugins.toString().contains("dev.varve.plugin.grpc"), "plugins: " + outcome.out());
        assertTrue(plugins.get("rejected").isEmpty(), outcome.out());
    }

    /** As modules, with its libraries in the loader of their own; a warning would be on err. */
    @Test
    void bytesPassThroughTheInstalledPluginWithoutAWarning() throws Exception {
        Path out = folder.resolve("out.txt");
        Path err = folder.resolve("err.txt");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String line : Files.readAllLines(Varve.INSTALLATION.resolve("conf/java.options"))) {
            if (!line.isBlank() && !line.startsWith("#")) {
                command.add(line);
            }
        }
        command.addAll(
                List.of(
                        "--module-path",
                        Varve.INSTALLATION.resolve("lib").toString(),
                        "--add-modules",
                        "dev.varve.platform.host",
                        "--add-exports",
                        "dev.varve.platform.host/dev.varve.platform.plugin=ALL-UNNAMED",
                        "--enable-native-access=dev.varve.ggml",
                        "-cp",
                        Path.of(
                                        GrpcProbe.class
                                                .getProtectionDomain()
                                                .getCodeSource()
                                                .getLocation()
                                                .toURI())
                                .toString(),
                        GrpcProbe.class.getName(),
                        Varve.INSTALLATION.resolve("plugins").toString()));

        int status =
                new ProcessBuilder(command)
                        .redirectOutput(out.toFile())
                        .redirectError(err.toFile())
                        .start()
                        .waitFor();

        assertEquals("", Files.readString(err));
        assertEquals(0, status);
        assertEquals(
                "1 byte through dev.varve.plugin.grpc and dev.varve.plugin.grpc/lib",
                Files.readString(out).strip());
    }
}
