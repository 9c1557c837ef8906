package dev.varve.client.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.varve.platform.chat.TrainedChat;
import dev.varve.platform.http.TrainedServer;
import dev.varve.testkit.ClaimResult;
import dev.varve.testkit.ClaimResult.Outcome;
import dev.varve.testkit.Effort;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The official clients of OpenAI and Anthropic use tools, reasoning and structured output of models
 * of each family. The models answer from scripts in the dialects of their published templates,
 * except where the request forces them to do something else.
 */
@Timeout(300)
class TrainedModelsIT {
    private static final JsonMapper JSON = JsonMapper.shared();
    private static final String TEST = "TrainedModelsIT";

    /** Call formats that have nothing in common. */
    private static final List<TrainedChat> BY_DAY =
            List.of(TrainedChat.LLAMA_3_3, TrainedChat.GPT_OSS, TrainedChat.GLM_4_6);

    @TempDir Path folder;

    @Test
    void officialClientsUseModelsOfEachFamily() throws Exception {
        assumeTrue(TrainedChat.arePublished(), "no templates at varve.test.shared");
        Path packages = Packages.CLIENTS.require();
        List<TrainedChat> chats = Effort.isFull() ? Arrays.asList(TrainedChat.values()) : BY_DAY;
        Command.Outcome outcome;
        try (TrainedServer server = TrainedServer.of(chats)) {
            outcome =
                    new Command(
                                    List.of("node", "trained.mjs"),
                                    packages,
                                    Map.of(
                                            "VARVE_URL",
                                            server.uri().toString(),
                                            "VARVE_TEXTS",
                                            texts().toString(),
                                            "VARVE_MODELS",
                                            chats.stream()
                                                    .map(chat -> described(chat).toString())
                                                    .collect(Collectors.joining("\n"))))
                            .run(folder);
        }

        assertEquals(List.of(), problems(chats, outcome), outcome.err());
        assertEquals(0, outcome.status(), outcome.err());
    }

    private static ObjectNode texts() {
        return JSON.createObjectNode()
                .put("oneCity", TrainedServer.ONE_CITY)
                .put("twoCities", TrainedServer.TWO_CITIES)
                .put("asObject", TrainedServer.AS_OBJECT)
                .put("result", TrainedServer.RESULT)
                .put("object", TrainedServer.OBJECT)
                .put("report", TrainedServer.REPORT)
                .put("greeting", TrainedServer.GREETING)
                .put("reasoning", TrainedChat.REASONING);
    }

    private static ObjectNode described(TrainedChat chat) {
        ObjectNode model =
                JSON.createObjectNode().put("model", chat.name()).put("reasons", chat.reasons());
        TrainedCheck.of(chat).forEach(check -> model.withArray("checks").add(check.script()));
        return model;
    }

    /** Records the results, and returns those that are missing or failed. */
    private static List<String> problems(List<TrainedChat> chats, Command.Outcome outcome) {
        List<JsonNode> lines = outcome.out().lines().map(JSON::readTree).toList();
        List<String> problems = new ArrayList<>();
        for (TrainedChat chat : chats) {
            for (TrainedCheck check : TrainedCheck.of(chat)) {
                for (String api : List.of("chat", "messages", "responses")) {
                    String error =
                            lines.stream()
                                    .filter(line -> isOf(line, chat, check, api))
                                    .map(line -> line.path("error").asString(""))
                                    .findFirst()
                                    .orElse("was not done");
                    record(chat, check, error.isEmpty());
                    if (!error.isEmpty()) {
                        problems.add(chat + ", " + check + ", " + api + ": " + error);
                    }
                }
            }
        }
        return problems;
    }

    private static boolean isOf(JsonNode line, TrainedChat chat, TrainedCheck check, String api) {
        return line.path("model").asString("").equals(chat.name())
                && line.path("check").asString("").equals(check.script())
                && line.path("api").asString("").equals(api);
    }

    private static void record(TrainedChat chat, TrainedCheck check, boolean passed) {
        Outcome outcome = check == TrainedCheck.REFUSED_TOOLS ? Outcome.REFUSED : Outcome.PASSED;
        for (String architecture : chat.architectures()) {
            new ClaimResult(
                            check.claim(),
                            architecture,
                            chat.template(),
                            passed ? outcome : Outcome.FAILED)
                    .write(TEST);
        }
    }
}
