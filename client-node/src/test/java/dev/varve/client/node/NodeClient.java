package dev.varve.client.node;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

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

    private final NodeScript script;

    NodeClient(String script, String... more) {
        this.script = NodeScript.ofClient(script, more);
    }

    /** Runs the script; returns what went wrong. */
    List<String> problems(InstalledServer server, Path scratch)
            throws IOException, InterruptedException {
        return script.problems(server, scratch);
    }
}
