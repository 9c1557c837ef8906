package dev.varve.client.node;

import dev.varve.platform.http.ScriptedServer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Coding agents as users install them. The test configures each to use our server without a login.
 */
enum CodingAgent {
    CLAUDE_CODE("/v1/messages") {
        @Override
        List<String> program(Path packages) {
            return List.of(
                    packages.resolve("node_modules/@anthropic-ai/claude-code-linux-x64/claude")
                            .toString());
        }

        @Override
        List<String> arguments(String url, String model, String task) {
            return List.of("-p", task, "--allowedTools", "Write,Edit,Read");
        }

        @Override
        Map<String, String> variables(String url, String key, String model) {
            return Map.of(
                    "ANTHROPIC_BASE_URL",
                    url,
                    "ANTHROPIC_API_KEY",
                    key,
                    "ANTHROPIC_MODEL",
                    model,
                    "CLAUDE_CODE_MAX_OUTPUT_TOKENS",
                    MOST_TOKENS,
                    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
                    "1",
                    "DISABLE_TELEMETRY",
                    "1");
        }

        @Override
        List<String> schema(Path file, String schema) {
            return List.of("--output-format", "json", "--json-schema", schema);
        }

        /** It has its models call a tool for it. */
        @Override
        String object(String json) {
            return ScriptedServer.call("StructuredOutput", json);
        }

        @Override
        String write(Path file, String text) {
            return call("Write", "file_path", file.toString(), "content", text);
        }

        @Override
        String append(Path file, String before, String text) {
            return call(
                    "Edit",
                    "file_path",
                    file.toString(),
                    "old_string",
                    before,
                    "new_string",
                    before + text);
        }

        @Override
        String read(Path file) {
            return call("Read", "file_path", file.toString());
        }
    },
    CODEX("/v1/responses") {
        @Override
        List<String> program(Path packages) {
            return List.of(
                    "node", packages.resolve("node_modules/@openai/codex/bin/codex.js").toString());
        }

        @Override
        List<String> arguments(String url, String model, String task) {
            String provider =
                    "{name = \"Varve\", base_url = \""
                            + url
                            + "/v1\", wire_api = \"responses\", env_key = \"VARVE_KEY\"}";
            return List.of(
                    "exec",
                    "--skip-git-repo-check",
                    // The scripted model chooses the commands. A container may have no sandbox.
                    "--sandbox",
                    "danger-full-access",
                    "-c",
                    "model = \"" + model + "\"",
                    "-c",
                    "model_provider = \"varve\"",
                    "-c",
                    "model_providers.varve = " + provider,
                    task);
        }

        @Override
        Map<String, String> variables(String url, String key, String model) {
            return Map.of("VARVE_KEY", key);
        }

        @Override
        List<String> schema(Path file, String schema) throws IOException {
            return List.of("--output-schema", Files.writeString(file, schema).toString());
        }

        @Override
        String object(String json) {
            return json;
        }

        @Override
        String write(Path file, String text) {
            return call("exec_command", "cmd", "printf '" + text + "' > " + file);
        }

        @Override
        String append(Path file, String before, String text) {
            return call("exec_command", "cmd", "printf '" + text + "' >> " + file);
        }

        @Override
        String read(Path file) {
            return call("exec_command", "cmd", "cat " + file);
        }
    };

    /** Of an answer. What Claude Code asks for otherwise is more than small contexts hold. */
    private static final String MOST_TOKENS = "4000";

    private final String route;

    CodingAgent(String route) {
        this.route = route;
    }

    /** The route of the server that the agent sends its requests to. */
    String route() {
        return route;
    }

    /** The command that starts the agent, without its arguments. */
    abstract List<String> program(Path packages);

    abstract List<String> arguments(String url, String model, String task);

    abstract Map<String, String> variables(String url, String key, String model);

    /**
     * Arguments that ask for an object.
     *
     * @param file for the schema, where the agent reads it from one
     */
    abstract List<String> schema(Path file, String schema) throws IOException;

    /** How a model answers with an object. */
    abstract String object(String json);

    /** A call of the agent's own tool that writes a file. */
    abstract String write(Path file, String text);

    /** A call that writes more behind what is there. */
    abstract String append(Path file, String before, String text);

    /** A call that reads a file. */
    abstract String read(Path file);

    private static String call(String tool, String... arguments) {
        StringBuilder json = new StringBuilder("{");
        for (int i = 0; i < arguments.length; i++) {
            json.append(i == 0 ? "" : i % 2 == 0 ? ", " : ": ").append(quoted(arguments[i]));
        }
        return ScriptedServer.call(tool, json.append('}').toString());
    }

    private static String quoted(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }
}
