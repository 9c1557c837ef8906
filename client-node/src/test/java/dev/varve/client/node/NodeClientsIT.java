package dev.varve.client.node;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.testkit.ByDay;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Client libraries under Node send requests to a server, which runs a demo model. */
@Timeout(300)
class NodeClientsIT {
    @TempDir Path folder;

    /** All clients for one model, and for the others the dialects that they are most used with. */
    static Stream<Arguments> models() {
        return Stream.of(
                Arguments.of("demo:qwen35", Arrays.asList(NodeClient.values())),
                Arguments.of("demo:gemma4", List.of(NodeClient.OPENAI)),
                Arguments.of("demo:laguna", List.of(NodeClient.ANTHROPIC)));
    }

    @ParameterizedTest
    @MethodSource("models")
    @ByDay(1)
    void nodeClientsPass(String model, List<NodeClient> clients) throws Exception {
        Packages.CLIENTS.require();
        Map<NodeClient, List<String>> problems = new TreeMap<>();
        try (InstalledServer server = InstalledServer.start(model, folder)) {
            for (NodeClient client : clients) {
                List<String> found = client.problems(server, folder);
                if (!found.isEmpty()) {
                    problems.put(client, found);
                }
            }
        }
        assertEquals(Map.of(), problems);
    }
}
