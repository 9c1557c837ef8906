package dev.varve.platform.http.upstream;

import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.model.CompressionInfo;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.Optional;

/**
 * Facts for clients about a server without a model of its own.
 *
 * @param upstream the upstream server and its settings
 */
public record ProxyInfo(CompressionProxySettings upstream) {
    /** Returns the response of {@code /props}, without keys. */
    public ObjectNode properties() {
        UpstreamServer target = upstream.target();
        ObjectNode props = Json.object().put("mode", "proxy");
        ObjectNode server = props.putObject("upstream").put("base", target.base().toString());
        target.model().ifPresent(name -> server.put("model", name));
        server.put("connect_seconds", upstream.limits().connect().toMillis() / 1e3);
        server.put("silence_seconds", upstream.limits().idleTimeout().toMillis() / 1e3);
        props.set(
                "compression",
                CompressionInfo.of(upstream.compressor().options())
                        .put("drafter", upstream.drafter()));
        return props;
    }

    /** Returns a list with a single model. */
    static ObjectNode models(String name) {
        ObjectNode list = Json.object().put("object", "list");
        list.putArray("data").add(model(name));
        return list;
    }

    private static ObjectNode model(String name) {
        return Json.object().put("id", name).put("object", "model").put("owned_by", "varve");
    }

    /**
     * Finds the entry of a model in a list.
     *
     * @param id decoded id
     */
    static Optional<JsonNode> find(String id, JsonNode list) {
        for (JsonNode entry : list.path("data")) {
            if (entry.path("id").isString() && entry.path("id").stringValue().equals(id)) {
                return Optional.of(entry);
            }
        }
        return Optional.empty();
    }
}
