package dev.varve.client.node;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A script of a client, which reports its checks.
 *
 * @param name of its file, without the ending
 * @param checks that it has to do
 */
record NodeScript(String name, List<String> checks) {
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

    /** Returns the script of a client, which does more than all of them do. */
    static NodeScript ofClient(String name, String... more) {
        List<String> checks = new ArrayList<>(COMMON);
        checks.addAll(List.of(more));
        return new NodeScript(name, checks);
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
                                List.of("node", name + ".mjs"),
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
        List<String> missing = new ArrayList<>(checks);
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
