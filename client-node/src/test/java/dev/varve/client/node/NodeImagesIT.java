package dev.varve.client.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The official clients send images to a random model that reads them. */
@Timeout(300)
class NodeImagesIT {
    private static final NodeScript SCRIPT =
            new NodeScript(
                    "images",
                    List.of(
                            "openai chat",
                            "openai stream",
                            "openai responses",
                            "openai refusals",
                            "anthropic messages",
                            "anthropic stream",
                            "anthropic refusals"));

    @TempDir Path folder;

    @Test
    void officialClientsSendImages() throws Exception {
        Packages.CLIENTS.require();
        Path models =
                Path.of(System.getProperty("varve.test.shared", ""))
                        .resolve("golden/vision/models");
        assumeTrue(Files.isDirectory(models), "no models at varve.test.shared: " + models);
        String model = models.resolve("text-qwen35.gguf").toString();
        String projector = models.resolve("qwen3vl.gguf").toString();
        try (InstalledServer server =
                InstalledServer.start(model, folder, "--mmproj", projector, "--max-ctx", "2048")) {
            assertEquals(List.of(), SCRIPT.problems(server, folder));
        }
    }
}
