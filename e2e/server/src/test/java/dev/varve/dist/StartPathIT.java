package dev.varve.dist;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A start and its first chat take the program's code from the start-up cache, where it is checked
 * and linked already.
 */
@Timeout(120)
class StartPathIT {
    /** Classes that a slow machine may need, such as those of a warning. */
    private static final int RARE = 5;

    @TempDir Path folder;

    @Test
    void startAndFirstChatLoadNoCodeFromTheJars() throws Exception {
        Path log = folder.resolve("classes.txt");
        Varve varve =
                new Varve(Varve.INSTALLATION, folder)
                        .with(
                                "VARVE_JAVA_OPTS",
                                "-XX:TieredStopAtLevel=1 -Xlog:class+load:file=" + log);
        try (ChatClient client = new ChatClient();
                // The training run opens no device but the processor either.
                Varve.Server server = varve.serve("--target-device", "cpu:0")) {
            ArrayNode messages = new JsonMapper().createArrayNode();
            messages.add(ChatClient.message("user", "Hello"));
            client.ask(server, messages, 8);

            List<String> classes = Files.readAllLines(log);

            assertTrue(
                    classes.stream()
                            .anyMatch(
                                    line ->
                                            line.contains("dev.varve.platform.cli.ServeCommand ")
                                                    && line.contains("shared objects file")),
                    "the start-up cache is not used");
            List<String> read =
                    classes.stream()
                            .filter(line -> line.contains(" dev.varve.") && line.contains("file:"))
                            .toList();
            assertTrue(read.size() <= RARE, () -> String.join("\n", read));
            assertFalse(
                    classes.stream().anyMatch(line -> line.contains(" jdk.jfr.Event ")),
                    "events of the flight recorder, which nobody records");
        }
    }
}
