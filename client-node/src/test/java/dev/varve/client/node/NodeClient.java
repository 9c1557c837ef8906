package dev.varve.client.node;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A client and the script that goes through what it can do. */
enum NodeClient {
    OPENAI("openai", "models", "tool runner", "completion", "abort while waiting"),
    OPENAI_RESPONSES("openai-responses", "cut short"),
    ANTHROPIC("anthropic", "models", "tool runner", "abort while waiting"),
    AI_SDK("ai-sdk", "rounds that must call", "streamed structure", "abort while waiting"),
    LANGCHAIN(
            "langchain",
            "responses: chat",
            "responses: stream",
            "responses: usage",
            "responses: tools",
            "responses: streamed tools",
            "responses: structure",
            "responses: abort",
            "responses: wrong field",
            "responses: too long",
            "structure by a call");

    /** The checks that every client runs. */
    private static final List<String> COMMON =
            List.of(
                    "chat",
                    "stream",
                    "usage",
                    "tools",
                    "streamed tools",
                    "structure",
                    "abort",
                    "wrong key",
                    "wrong field",
                    "too long",
                    "unknown");

    private static final JsonMapper JSON = JsonMapper.shared();

    private final String script;
    private final List<String> more;

    NodeClient(String script, String... more) {
        this.script = script;
        this.more = List.of(more);
    }

    /**
     * Runs the script.
     *
     * @param scratch folder for what it writes
     * @return what went wrong; each a sentence for people
     */
    List<String> problems(InstalledServer server, Path scratch)
            throws IOException, InterruptedException {
        Command.Outcome outcome =
                new Command(
                                List.of("node", script + ".mjs"),
                                Packages.CLIENTS.require(),
                                Map.of(
                                        "VARVE_URL",
                                        server.url(),
                                        "VARVE_KEY",
                                        InstalledServer.KEY,
                                        "VARVE_MODEL",
                                        server.model()))
                        .run(scratch);
        List<String> problems = new ArrayList<>();
        List<String> missing = new ArrayList<>(COMMON);
        missing.addAll(more);
        for (String line : outcome.out().lines().toList()) {
            JsonNode told = JSON.readTree(line);
            missing.remove(told.get("check").stringValue());
            if (!told.get("ok").booleanValue()) {
                problems.add(told.get("check").stringValue() + ": " + told.get("error"));
            }
        }
        missing.forEach(check -> problems.add(check + ": was not done"));
        if (problems.isEmpty() && outcome.status() != 0) {
            problems.add("exit status " + outcome.status());
        }
        if (!problems.isEmpty() && !outcome.err().isEmpty()) {
            problems.add(outcome.err());
        }
        return problems;
    }
}
