package dev.varve.client.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.http.ScriptedServer;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Coding agents do a task in a folder of their own. */
@Tag("agents")
@Timeout(300)
class CodingAgentsIT {
    private static final String TASK = "Write two lines into notes.txt.";
    private static final String FIRST = "first line\n";
    private static final String SECOND = "second line\n";

    @TempDir Path folder;
    private Path task;
    private Path home;

    @BeforeEach
    void makeFolders() throws IOException {
        task = Files.createDirectory(folder.resolve("task"));
        home = Files.createDirectory(folder.resolve("home"));
    }

    @ParameterizedTest
    @EnumSource
    void fileIsWrittenInThreeToolRounds(CodingAgent agent) throws Exception {
        Path file = task.resolve("notes.txt");
        String plan = "Plan.</think>";
        try (ScriptedServer server =
                ScriptedServer.saying(
                        plan + agent.write(file, FIRST),
                        plan + agent.append(file, FIRST, SECOND),
                        plan + agent.read(file),
                        "Enough.</think>Both lines are there.")) {
            Command.Outcome outcome = run(agent, server.uri().toString(), "small");

            assertEquals(0, outcome.status(), outcome.toString());
            assertTrue(outcome.out().contains("Both lines are there."), outcome.toString());
            assertEquals(FIRST + SECOND, Files.readString(file));
            List<String> prompts = server.prompts();
            assertEquals(4, prompts.size(), outcome.toString());
            assertTrue(prompts.getFirst().contains(TASK));
            assertTrue(prompts.getLast().contains("second line"), prompts.getLast());
        }
    }

    @ParameterizedTest
    @EnumSource
    void structuredOutputReturnsTheRequestedObject(CodingAgent agent) throws Exception {
        String schema =
                "{\"type\":\"object\",\"properties\":{\"lines\":{\"type\":\"integer\"}},"
                        + "\"required\":[\"lines\"],\"additionalProperties\":false}";
        try (ScriptedServer server =
                ScriptedServer.saying(
                        "Plan.</think>" + agent.object("{\"lines\":2}"),
                        "Enough.</think>There it is.")) {
            Command.Outcome outcome =
                    command(
                                    agent,
                                    server.uri().toString(),
                                    "small",
                                    InstalledServer.KEY,
                                    agent.schema(folder.resolve("schema.json"), schema))
                            .run(folder);

            assertEquals(0, outcome.status(), outcome.toString());
            assertTrue(outcome.out().contains("{\"lines\":2}"), outcome.toString());
        }
    }

    @ParameterizedTest
    @EnumSource
    void stoppingTheAgentStopsGeneration(CodingAgent agent) throws Exception {
        try (ScriptedServer server = ScriptedServer.silent()) {
            Process process =
                    command(agent, server.uri().toString(), "small", InstalledServer.KEY, List.of())
                            .start();
            boolean asked;
            try {
                asked = server.awaitRequest();
            } finally {
                Command.stop(process);
            }

            assertTrue(asked, "it asked for nothing");
            assertTrue(server.awaitCancelled(), "the answer is still wanted");
        }
    }

    @ParameterizedTest
    @EnumSource
    void wrongKeyIsShownToTheUser(CodingAgent agent) throws Exception {
        try (InstalledServer server = InstalledServer.start("demo:qwen35", folder)) {
            Command.Outcome outcome =
                    command(agent, server.url(), server.model(), "wrong", List.of()).run(folder);

            assertEquals(1, outcome.status(), outcome.toString());
            assertTrue(
                    (outcome.out() + outcome.err()).contains("the API key is not known"),
                    outcome.toString());
        }
    }

    @ParameterizedTest
    @EnumSource
    void contextOverflowIsShownToTheUser(CodingAgent agent) throws Exception {
        try (InstalledServer server = InstalledServer.start("demo:qwen35", folder)) {
            Command.Outcome outcome = run(agent, server.url(), server.model());

            assertEquals(1, outcome.status(), outcome.toString());
            assertTrue(
                    Pattern.compile("Prompt is too long|ran out of room in the model's context")
                            .matcher(outcome.out() + outcome.err())
                            .find(),
                    outcome.toString());
        }
    }

    /**
     * A toy reads all that an agent sends, and says something; what the agent makes of that is its
     * own affair.
     */
    @ParameterizedTest
    @EnumSource
    void demoModelServesAnAgent(CodingAgent agent) throws Exception {
        Path model = LongModel.write(folder);
        String context = Integer.toString(LongModel.CONTEXT);
        try (InstalledServer server =
                InstalledServer.start(
                        model.toString(), folder, "--max-ctx", context, "--parallel", "1")) {
            Command.Outcome outcome = run(agent, server.url(), server.model());

            assertTrue(server.answers(agent.route()) > 0, outcome.toString());
            assertTrue(!outcome.out().isBlank(), outcome.toString());
        }
    }

    /** So its instructions are short, and fit where those that it has otherwise would not. */
    @Test
    void codexFindsTheModelInTheModelList() throws Exception {
        try (InstalledServer server = InstalledServer.start("demo:qwen35", folder)) {
            Path catalog = folder.resolve("models.json");
            Files.writeString(catalog, server.get("/v1/models?client_version=0.169.0"));
            List<String> known = List.of("-c", "model_catalog_json = \"" + catalog + "\"");
            Command.Outcome outcome =
                    command(
                                    CodingAgent.CODEX,
                                    server.url(),
                                    server.model(),
                                    InstalledServer.KEY,
                                    known)
                            .run(folder);

            assertTrue(server.answers(CodingAgent.CODEX.route()) > 0, outcome.toString());
            assertFalse(outcome.err().contains("Model metadata"), outcome.toString());
        }
    }

    private Command.Outcome run(CodingAgent agent, String url, String model) throws Exception {
        return command(agent, url, model, InstalledServer.KEY, List.of()).run(folder);
    }

    private Command command(
            CodingAgent agent, String url, String model, String key, List<String> more) {
        List<String> command = new ArrayList<>(agent.program(Packages.AGENTS.require()));
        command.addAll(agent.arguments(url, model, TASK));
        command.addAll(more);
        Map<String, String> variables = new HashMap<>();
        variables.put("HOME", home.toString());
        variables.putAll(agent.variables(url, key, model));
        return new Command(command, task, variables);
    }
}
