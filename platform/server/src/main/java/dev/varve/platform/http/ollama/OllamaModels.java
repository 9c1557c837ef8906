package dev.varve.platform.http.ollama;

import dev.varve.platform.digest.Sha256;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.serving.ModelCapability;
import dev.varve.platform.http.serving.ModelStatus;
import dev.varve.platform.setting.Release;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.time.Instant;
import java.util.List;

/** Describes the models for {@code /api/tags}, {@code /api/ps} and {@code /api/show}. */
public final class OllamaModels {
    /** Version of Ollama whose API these routes follow; editors refuse older ones. */
    private static final String API_VERSION = "0.12.0";

    /** Expiry time that is reported for loaded models: clients need no exact one. */
    private static final String NEVER = "9999-12-31T23:59:59Z";

    private OllamaModels() {}

    /** Returns the response of {@code /api/version}. */
    public static ObjectNode version() {
        return Json.object().put("version", API_VERSION).put("varve", Release.version());
    }

    /** Returns the response of {@code /api/tags}: all models. */
    public static ObjectNode tags(List<ModelStatus> views) {
        ObjectNode list = Json.object();
        ArrayNode models = list.putArray("models");
        views.forEach(view -> put(view, models.addObject()));
        return list;
    }

    /** Returns the response of {@code /api/ps}: the loaded models. */
    public static ObjectNode running(List<ModelStatus> views) {
        ObjectNode list = Json.object();
        ArrayNode models = list.putArray("models");
        views.stream()
                .filter(view -> view.running().isPresent())
                .forEach(
                        view ->
                                put(view, models.addObject())
                                        .put("expires_at", NEVER)
                                        .put("size_vram", 0)
                                        .put("context_length", view.contextTokens()));
        return list;
    }

    /** Returns the response of {@code /api/show}: one model. */
    public static ObjectNode show(ModelStatus view) {
        ObjectNode shown = Json.object();
        shown.put("modelfile", "").put("parameters", "").put("template", "");
        shown.set("details", details(view));
        String architecture = view.outline().architecture();
        shown.putObject("model_info")
                .put("general.architecture", architecture)
                .put("general.basename", view.outline().title())
                // Editors truncate prompts to this length, so it is the context of requests.
                .put(architecture + ".context_length", view.contextTokens());
        ArrayNode capabilities = shown.putArray("capabilities");
        for (ModelCapability each : view.capabilities()) {
            switch (each) {
                case COMPLETION -> capabilities.add("completion");
                case TOOLS -> capabilities.add("tools");
                case REASONING -> capabilities.add("thinking");
                case EMBEDDING -> capabilities.add("embedding");
                case CHAT, STRUCTURED_OUTPUT -> {
                    // Implied for every model of Ollama.
                }
            }
        }
        return shown.put("modified_at", modified(view));
    }

    private static ObjectNode put(ModelStatus view, ObjectNode model) {
        model.put("name", view.id()).put("model", view.id());
        model.put("modified_at", modified(view));
        // Clients distinguish models by it; hashing whole files for a list is too slow.
        model.put("size", 0).put("digest", Sha256.hex(view.id()));
        model.set("details", details(view));
        return model;
    }

    private static ObjectNode details(ModelStatus view) {
        String architecture = view.outline().architecture();
        ObjectNode details = Json.object();
        details.put("parent_model", "").put("format", "gguf").put("family", architecture);
        details.putArray("families").add(architecture);
        return details.put("parameter_size", "").put("quantization_level", "");
    }

    private static String modified(ModelStatus view) {
        return Instant.ofEpochSecond(view.outline().createdSeconds()).toString();
    }
}
