package dev.varve.platform.http.encoding;

import dev.varve.api.model.Pooling;
import dev.varve.platform.embedding.EncoderInput;
import dev.varve.platform.embedding.TextEmbedder;
import dev.varve.platform.embedding.VectorNorm;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.FieldRules;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.tokenizer.Tokenizer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;

/** A request for vectors of texts, with the fields of OpenAI's. */
public final class EmbeddingRequest {
    /** Rules of its fields. */
    public static final FieldRules RULES =
            FieldRules.builder()
                    .supported("model input encoding_format dimensions embd_normalize")
                    .ignores("user")
                    .build();

    private static final String INPUT = "input";
    private static final String EXPECTED =
            "a string, an array of strings, an array of token ids or an array of those";
    private static final int MOST_NORM = 100;
    private static final int EUCLIDEAN = 2;

    private final ServedModel served;
    private final TextEmbedder embedder;
    private final List<int[]> texts = new ArrayList<>();
    private final boolean base64;
    private final int dimensions;
    private final int norm;

    /** Makes a response in the format of another API. */
    @FunctionalInterface
    public interface VectorResponse {
        /**
         * Returns the response.
         *
         * @param vectors one of each text, cut and scaled as requested
         * @param tokens number of tokens of all texts
         */
        JsonNode of(List<float[]> vectors, long tokens);
    }

    private EmbeddingRequest(RequestFields fields, ServedModel served) {
        this.served = served;
        embedder = TextLimits.vectors(served);
        base64 = isBase64(fields);
        dimensions = (int) fields.whole("dimensions", 1, embedder.width()).orElse(embedder.width());
        norm = (int) fields.whole("embd_normalize", -1, MOST_NORM).orElse(EUCLIDEAN);
        addTexts(fields.require(INPUT));
    }

    /** Reads a body. */
    public static EncodingWork read(ObjectNode body, ServedModel served) {
        EmbeddingRequest request = new EmbeddingRequest(new RequestFields(body), served);
        return new EncodingWork(request.embedder, request.texts, request::response);
    }

    /**
     * Reads a body whose response has another format.
     *
     * @throws ApiException also if the model has no single vector of a text
     */
    public static EncodingWork read(ObjectNode body, ServedModel served, VectorResponse response) {
        EmbeddingRequest request = new EmbeddingRequest(new RequestFields(body), served);
        if (request.embedder.pooling() == Pooling.NONE) {
            throw ApiException.invalid(
                    "model", "the model computes a vector of each token; use /v1/embeddings");
        }
        return new EncodingWork(
                request.embedder,
                request.texts,
                vectors ->
                        response.of(
                                Arrays.stream(vectors).map(request::scaled).toList(),
                                EncodingWork.tokens(request.texts)));
    }

    private static boolean isBase64(RequestFields fields) {
        String format = fields.text("encoding_format").orElse("float");
        return switch (format) {
            case "float" -> false;
            case "base64" -> true;
            default ->
                    throw ApiException.invalid(
                            "encoding_format",
                            "encoding_format: expected float or base64, found another string");
        };
    }

    private void addTexts(JsonNode input) {
        if (input.isString()) {
            add(INPUT, input);
            return;
        }
        if (!input.isArray()) {
            throw RequestFields.wrongType(INPUT, EXPECTED, input);
        }
        if (!input.isEmpty() && input.get(0).isNumber()) {
            add(INPUT, input);
            return;
        }
        TextLimits.requireCount(INPUT, input.size());
        for (int i = 0; i < input.size(); i++) {
            add(INPUT + "[" + i + "]", input.get(i));
        }
    }

    private void add(String field, JsonNode text) {
        Tokenizer tokenizer = served.textProcessing().tokenizer();
        if (text.isString()) {
            texts.add(
                    TextLimits.tokens(
                            field,
                            () -> EncoderInput.ofText(tokenizer, embedder, text.stringValue())));
        } else if (text.isArray()) {
            int[] ids = RequestFields.tokenIds(field, text, tokenizer.vocabularySize());
            texts.add(TextLimits.tokens(field, () -> EncoderInput.checked(embedder, limit -> ids)));
        } else {
            throw RequestFields.wrongType(field, "a string or an array of token ids", text);
        }
    }

    private JsonNode response(float[][] vectors) {
        ObjectNode response = Json.object().put("object", "list");
        ArrayNode data = response.putArray("data");
        for (int i = 0; i < vectors.length; i++) {
            ObjectNode entry = data.addObject().put("object", "embedding").put("index", i);
            putVector(entry, vectors[i]);
        }
        response.put("model", served.description().id());
        long tokens = EncodingWork.tokens(texts);
        response.putObject("usage").put("prompt_tokens", tokens).put("total_tokens", tokens);
        return response;
    }

    private void putVector(ObjectNode entry, float[] vector) {
        if (embedder.pooling() == Pooling.NONE) {
            putRows(entry, vector);
            return;
        }
        float[] scaled = scaled(vector);
        if (base64) {
            entry.put("embedding", encoded(scaled));
        } else {
            // Not a JSON node for each number.
            entry.putPOJO("embedding", scaled);
        }
    }

    private float[] scaled(float[] vector) {
        return VectorNorm.of(vector, dimensions, norm);
    }

    /** Rows of tokens are not scaled. */
    private void putRows(ObjectNode entry, float[] rows) {
        ArrayNode array = entry.putArray("embedding");
        for (int at = 0; at < rows.length; at += embedder.width()) {
            float[] row = Arrays.copyOfRange(rows, at, at + dimensions);
            if (base64) {
                array.add(encoded(row));
            } else {
                array.addPOJO(row);
            }
        }
    }

    private static String encoded(float[] vector) {
        ByteBuffer bytes =
                ByteBuffer.allocate(vector.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        bytes.asFloatBuffer().put(vector);
        return Base64.getEncoder().encodeToString(bytes.array());
    }
}
