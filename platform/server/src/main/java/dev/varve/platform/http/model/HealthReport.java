package dev.varve.platform.http.model;

import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.setting.SettingNames;

import jakarta.servlet.http.HttpServletResponse;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.Optional;

/** Reports for {@code /health} whether an engine can run steps. */
public final class HealthReport {
    private HealthReport() {}

    private static ObjectNode withReplicas(
            ObjectNode body, EngineStatus status, SettingNames names) {
        if (!status.replicas().isEmpty()) {
            body.set("replicas", ReplicaReport.of(status.replicas(), names));
            // The route needs no key.
            CacheReportRedaction.removeFrom(body);
        }
        return body;
    }

    /**
     * Returns the body for a server that works: degraded if steps or optional work fail repeatedly.
     */
    private static ObjectNode workingBody(EngineStatus status) {
        Optional<String> reason = status.counts().failures().reason();
        ObjectNode body = Json.object().put("status", reason.isPresent() ? "degraded" : "ok");
        reason.ifPresent(text -> body.put("reason", text));
        return body;
    }

    /**
     * Writes the response of {@code /health}.
     *
     * @param names names of settings in the reasons
     */
    public static void write(Engine engine, SettingNames names, HttpServletResponse response)
            throws IOException {
        if (engine.broken().isDone()) {
            ObjectNode body =
                    Json.object()
                            .put("status", "failed")
                            .put("reason", names.render(engine.broken().join().getMessage()));
            JsonResponse.write(response, 503, body);
            return;
        }
        EngineStatus status = engine.status();
        if (status.canCompute()) {
            JsonResponse.write(response, 200, withReplicas(workingBody(status), status, names));
        } else {
            ObjectNode body = ShardReport.degraded(status.missingShards(), names);
            JsonResponse.write(response, 503, withReplicas(body, status, names));
        }
    }
}
