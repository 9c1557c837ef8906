package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.testkit.Qwen35Model;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The archive that needs no Java, where none is to be found. */
@Timeout(300)
class RuntimeArchiveIT {
    /** The tools that the launcher calls. */
    private static final List<String> TOOLS =
            List.of(
                    "bash",
                    "cat",
                    "cut",
                    "dirname",
                    "env",
                    "find",
                    "grep",
                    "head",
                    "id",
                    "mkdir",
                    "mv",
                    "readlink",
                    "rm",
                    "sed",
                    "sha256sum",
                    "stat",
                    "uname");

    @TempDir Path folder;

    /** They lead out of the temporary folder, which is deleted with what is in it. */
    @AfterEach
    void deleteLinks() throws IOException {
        for (String tool : TOOLS) {
            Files.deleteIfExists(folder.resolve("bin").resolve(tool));
        }
    }

    private static Optional<Path> archive() throws IOException {
        try (Stream<Path> files = Files.list(Varve.INSTALLATION.getParent())) {
            return files.filter(file -> file.toString().endsWith("-linux-x64.tar.gz")).findFirst();
        }
    }

    private Path unpacked(Path archive) throws Exception {
        Path target = Files.createDirectory(folder.resolve("unpacked"));
        int status =
                new ProcessBuilder("tar", "xzf", archive.toString(), "-C", target.toString())
                        .inheritIO()
                        .start()
                        .waitFor();
        assertEquals(0, status);
        try (Stream<Path> files = Files.list(target)) {
            return files.findFirst().orElseThrow();
        }
    }

    /** A folder with the tools and no Java. */
    private Path tools() throws IOException {
        Path bin = Files.createDirectory(folder.resolve("bin"));
        List<Path> path = Arrays.stream(System.getenv("PATH").split(":")).map(Path::of).toList();
        for (String tool : TOOLS) {
            Optional<Path> found =
                    path.stream()
                            .map(each -> each.resolve(tool))
                            .filter(Files::isExecutable)
                            .findFirst();
            if (found.isPresent()) {
                Files.createSymbolicLink(bin.resolve(tool), found.get());
            }
        }
        return bin;
    }

    @Test
    void runtimeImageServesDevicesAndDiskStoresWithoutAnotherJava() throws Exception {
        Optional<Path> archive = archive();
        assumeTrue(archive.isPresent(), "mvn package -Pruntime makes the archive with a Java");
        Path home = unpacked(archive.get());
        Path model = Qwen35Model.odd(8).write(folder);
        Varve varve =
                new Varve(home, folder)
                        .with("PATH", tools().toString())
                        .with("JAVA_HOME", "")
                        .with("VARVE_AOT", "off");

        Varve.Outcome devices = varve.run("devices");
        Varve.Outcome plugins = varve.run("plugins");

        assertEquals(0, devices.status(), devices.toString());
        assertTrue(devices.out().contains("cpu:0 "), devices.toString());
        assertTrue(plugins.out().contains("stores: chronicle"), plugins.toString());
        assertTrue(plugins.out().contains("transports: grpc"), plugins.toString());
        try (Varve.Server server =
                        varve.serve(
                                "--model",
                                model,
                                "--max-ctx",
                                512,
                                "--target-devices",
                                "cpu:0,cpu:0@process",
                                "--kv-cache-dir",
                                folder.resolve("prompts"));
                HttpClient http = HttpClient.newHttpClient()) {
            assertTrue(
                    server.children().stream()
                            .allMatch(
                                    child ->
                                            child.info()
                                                    .command()
                                                    .orElse("")
                                                    .startsWith(home + "/jre/bin/java")),
                    "each process has the archive's Java");
            HttpResponse<String> answer =
                    http.send(
                            HttpRequest.newBuilder(URI.create(server.url() + "/v1/completions"))
                                    .header("Content-Type", "application/json")
                                    .POST(
                                            HttpRequest.BodyPublishers.ofString(
                                                    "{\"prompt\": \"Hello\", \"max_tokens\": 4}"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertEquals(200, answer.statusCode(), answer.body());
        }
    }
}
