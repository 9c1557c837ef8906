package dev.varve.platform.http.model;

import dev.varve.platform.engine.ReplicaStatus;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.setting.SettingNames;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.List;

/** Reports the replicas of a model, for {@code /props}, {@code /status} and {@code /health}. */
public final class ReplicaReport {
    private ReplicaReport() {}

    static ArrayNode of(List<ReplicaStatus> replicas, SettingNames names) {
        ArrayNode list = Json.MAPPER.createArrayNode();
        replicas.forEach(replica -> list.add(of(replica, names)));
        return list;
    }

    /**
     * Returns the fields of one replica.
     *
     * @param names names of settings in its reason
     */
    public static ObjectNode of(ReplicaStatus replica, SettingNames names) {
        ObjectNode out = Json.object();
        out.put("id", replica.id())
                .put("state", replica.state().word())
                .put("parallel", replica.load().parallel())
                .put("waiting", replica.load().waiting())
                .put("running", replica.load().running())
                .put("prompt_tokens", replica.tokens().prompt())
                .put("cached_prompt_tokens", replica.tokens().cachedPrompt())
                .put("generated_tokens", replica.tokens().generated())
                .put("moved_requests", replica.moves().movedRequests())
                .put("restarts", replica.moves().restarts());
        replica.reason().ifPresent(reason -> out.put("reason", names.render(reason)));
        return out;
    }
}
