package dev.varve.platform.http.serving;

import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** A model in the format of coding agents that list models with {@code client_version}. */
final class AgentModelInfo {
    /** Resource with constant fields: some clients refuse a list whose entries lack a field. */
    private static final String CONSTANTS = "agent-model.json";

    private AgentModelInfo() {}

    /**
     * Returns the entry of a model.
     *
     * @param contextTokens maximum tokens of prompt and response together
     */
    static ObjectNode of(String id, int contextTokens) {
        ObjectNode model = Json.object().put("slug", id).put("display_name", id);
        model.setAll(constants());
        return model.put("context_window", contextTokens);
    }

    private static ObjectNode constants() {
        try (InputStream file = AgentModelInfo.class.getResourceAsStream(CONSTANTS)) {
            return (ObjectNode) Json.MAPPER.readTree(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
