package dev.varve.client.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.List;

/** Client libraries under Node send requests to the server, which runs demo models. */
@Timeout(300)
class NodeClientsIT {
    @TempDir Path folder;

    /** One client for each dialect of calls, all for one of them. */
    @ParameterizedTest
    @CsvSource({
        "OPENAI, demo:qwen35",
        "OPENAI_RESPONSES, demo:qwen35",
        "ANTHROPIC, demo:qwen35",
        "AI_SDK, demo:qwen35",
        "LANGCHAIN, demo:qwen35",
        "OPENAI, demo:gemma4",
        "ANTHROPIC, demo:laguna"
    })
    void aClientFindsAllThatItKnows(NodeClient client, String model) throws Exception {
        Packages.CLIENTS.require();
        try (InstalledServer server = InstalledServer.start(model, folder)) {
            assertEquals(List.of(), client.problems(server, folder));
        }
    }
}
