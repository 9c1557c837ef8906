package dev.varve.platform.http.ollama;

import dev.varve.platform.http.encoding.EmbeddingRequest;
import dev.varve.platform.http.encoding.EncodingWork;
import dev.varve.platform.http.json.FieldRules;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.json.UnknownFieldPolicy;
import dev.varve.platform.http.model.ServedModel;

import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Requests of {@code /api/embed} and of the older {@code /api/embeddings}. */
public final class OllamaEmbeddings {
    private static final FieldRules COMMON =
            FieldRules.builder().supported("model").ignores("options keep_alive truncate").build();

    private static final FieldRules EMBED_RULES =
            COMMON.more().supported("input dimensions").build();

    private static final FieldRules OLD_RULES = COMMON.more().supported("prompt").build();

    /** Value of {@code embd_normalize} for vectors as the model computes them. */
    private static final int UNSCALED = -1;

    private OllamaEmbeddings() {}

    /**
     * Reads a body of {@code /api/embed}: vectors of length 1 of one text or several.
     *
     * @throws dev.varve.platform.http.json.ApiException a 400 that names the field if it is wrong
     */
    public static EncodingWork embed(
            ObjectNode body, ServedModel served, UnknownFieldPolicy policy) {
        EMBED_RULES.check(body, policy);
        long begin = System.nanoTime();
        ObjectNode translated = Json.object();
        RequestFields fields = new RequestFields(body);
        translated.set("input", fields.require("input"));
        fields.find("dimensions").ifPresent(value -> translated.set("dimensions", value));
        return EmbeddingRequest.read(
                translated,
                served,
                (vectors, tokens) -> {
                    ObjectNode response = Json.object();
                    response.put("model", served.description().id());
                    ArrayNode embeddings = response.putArray("embeddings");
                    vectors.forEach(embeddings::addPOJO);
                    return response.put("total_duration", System.nanoTime() - begin)
                            .put("load_duration", 0)
                            .put("prompt_eval_count", tokens);
                });
    }

    /**
     * Reads a body of {@code /api/embeddings}: the vector of one text, of any length.
     *
     * @throws dev.varve.platform.http.json.ApiException a 400 that names the field if it is wrong
     */
    public static EncodingWork old(ObjectNode body, ServedModel served, UnknownFieldPolicy policy) {
        OLD_RULES.check(body, policy);
        RequestFields fields = new RequestFields(body);
        fields.require("prompt");
        ObjectNode translated = Json.object();
        translated.put("input", fields.text("prompt").orElseThrow());
        translated.put("embd_normalize", UNSCALED);
        return EmbeddingRequest.read(
                translated,
                served,
                (vectors, tokens) -> {
                    ObjectNode response = Json.object();
                    response.putPOJO("embedding", vectors.getFirst());
                    return response;
                });
    }
}
