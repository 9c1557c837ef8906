package dev.varve.platform.http.model;

import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.http.json.Json;

import tools.jackson.databind.node.ObjectNode;

/** The load of an engine, for {@code /status}. */
final class EngineLoadReport {
    private EngineLoadReport() {}

    static ObjectNode of(EngineStatus status) {
        ObjectNode report =
                Json.object()
                        .put("context_tokens", status.load().contextTokens())
                        .put("parallel", status.load().parallel())
                        .put("waiting", status.load().waiting())
                        .put("running", status.load().running())
                        .put("prompt_tokens", status.counts().tokens().prompt())
                        .put("cached_tokens", status.counts().tokens().cachedPrompt())
                        .put("generated_tokens", status.counts().tokens().generated())
                        .put("steps", status.counts().steps())
                        .put("preemptions", status.counts().preemptions())
                        .put("replays", status.counts().replays());
        return report;
    }
}
