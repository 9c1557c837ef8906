package dev.varve.platform.http.conversation;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.RequestFields;

import tools.jackson.databind.JsonNode;

/** How closely a model has to look at an image: {@code detail} of OpenAI's dialects. */
public enum ImageDetail {
    /** The image is reduced to few tokens. */
    LOW(256),
    /** The limits of the model apply. */
    FULL(Integer.MAX_VALUE);

    private final int maxTokens;

    ImageDetail(int maxTokens) {
        this.maxTokens = maxTokens;
    }

    /** Most tokens of the image, beside the model's own limit. */
    public int maxTokens() {
        return maxTokens;
    }

    /**
     * Reads the field {@code detail} of an object.
     *
     * @param where path of the object in the request's body
     * @throws ApiException a 400 if it has another value
     */
    static ImageDetail read(String where, JsonNode object) {
        JsonNode detail = object.path("detail");
        return switch (detail.isMissingNode() || detail.isNull() ? "auto" : detail.asString("")) {
            case "low" -> LOW;
            // original is newer, and asks for no reduction.
            case "auto", "high", "original" -> FULL;
            default ->
                    throw RequestFields.wrongType(
                            where + ".detail", "low, high, auto or original", detail);
        };
    }
}
