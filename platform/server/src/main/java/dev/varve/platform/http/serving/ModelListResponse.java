package dev.varve.platform.http.serving;

import dev.varve.platform.http.json.Json;
import dev.varve.platform.setting.SettingNames;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.time.Instant;
import java.util.List;

/**
 * Writes the models for {@code /v1/models}: OpenAI's and Anthropic's fields in the same objects,
 * and fields that other servers add.
 */
public final class ModelListResponse {
    private final SettingNames names;

    /**
     * @param names names of settings in load failures
     */
    public ModelListResponse(SettingNames names) {
        this.names = names;
    }

    /** Returns all models. */
    public ObjectNode models(List<ModelStatus> views) {
        ObjectNode list = Json.object().put("object", "list");
        ArrayNode data = list.putArray("data");
        views.forEach(view -> data.add(model(view)));
        list.put("has_more", false);
        if (views.isEmpty()) {
            return list.putNull("first_id").putNull("last_id");
        }
        return list.put("first_id", views.getFirst().id()).put("last_id", views.getLast().id());
    }

    /**
     * Returns all models for a coding agent: {@code models}, in its own format, is added beside
     * {@code data}.
     */
    public ObjectNode agentModels(List<ModelStatus> views) {
        ObjectNode list = models(views);
        ArrayNode models = list.putArray("models");
        views.forEach(view -> models.add(AgentModelInfo.of(view.id(), view.contextTokens())));
        return list;
    }

    /** Returns one model. */
    public ObjectNode model(ModelStatus view) {
        int context = view.contextTokens();
        ObjectNode model = Json.object();
        model.put("id", view.id())
                .put("object", "model")
                .put("created", view.outline().createdSeconds())
                .put("owned_by", "varve")
                .put("context_length", context)
                .put("max_model_len", context);
        ObjectNode meta = model.putObject("meta");
        view.running()
                .ifPresent(
                        running ->
                                meta.put(
                                        "n_vocab",
                                        running.served()
                                                .textProcessing()
                                                .tokenizer()
                                                .vocabularySize()));
        meta.put("n_ctx_train", view.outline().context().trainedTokens());
        model.put("type", "model")
                .put("display_name", view.outline().title())
                .put(
                        "created_at",
                        Instant.ofEpochSecond(view.outline().createdSeconds()).toString());
        state(view, model);
        ArrayNode capabilities = model.putArray("capabilities");
        view.capabilities().forEach(each -> capabilities.add(each.word()));
        return model;
    }

    /** Returns the {@code /props} of a model that is not loaded. */
    public ObjectNode properties(ModelStatus view) {
        ObjectNode props = Json.object().put("model_alias", view.id());
        props.putObject("model").put("arch", view.outline().architecture());
        props.putObject("default_generation_settings").put("n_ctx", view.contextTokens());
        state(view, props);
        return props;
    }

    /** Returns the first fields of {@code /status}: the id and the state. */
    public ObjectNode status(ModelStatus view) {
        ObjectNode status = Json.object().put("model", view.id());
        state(view, status);
        return status;
    }

    private void state(ModelStatus view, ObjectNode out) {
        out.put("state", view.state().word());
        view.reason().ifPresent(reason -> out.put("reason", names.render(reason)));
    }
}
