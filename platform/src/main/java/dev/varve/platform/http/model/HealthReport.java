package dev.varve.platform.http.model;

import dev.varve.platform.engine.Engine;
import dev.varve.platform.engine.ShardStatus;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.JsonAnswer;
import dev.varve.platform.setting.SettingNames;

import jakarta.servlet.http.HttpServletResponse;

import tools.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.util.List;

/** What {@code /health} says of an engine: whether it can compute now. */
public final class HealthReport {
    private HealthReport() {}

    /**
     * Writes the answer of {@code /health}.
     *
     * @param names what settings are called in the reasons
     */
    public static void write(Engine engine, SettingNames names, HttpServletResponse response)
            throws IOException {
        if (engine.broken().isDone()) {
            ObjectNode body =
                    Json.object()
                            .put("status", "failed")
                            .put("reason", names.render(engine.broken().join().getMessage()));
            JsonAnswer.write(response, 503, body);
            return;
        }
        List<ShardStatus> missing = engine.status().missingShards();
        if (missing.isEmpty()) {
            JsonAnswer.write(response, 200, Json.object().put("status", "ok"));
        } else {
            JsonAnswer.write(response, 503, ShardReport.degraded(missing, names));
        }
    }
}
