package dev.varve.platform.http.encoding;

import dev.varve.platform.embedding.EncoderInput;
import dev.varve.platform.embedding.TextEmbedder;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.FieldRules;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.model.ServedModel;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A request for the scores of documents for a query, with the fields of Jina's and Cohere's, or
 * with {@code texts} those of Text Embeddings Inference, whose response is a bare list.
 */
public final class RerankRequest {
    /** Rules of its fields. */
    public static final FieldRules RULES =
            FieldRules.builder()
                    .supported(
                            "model query documents texts top_n return_documents return_text"
                                    + " normalize")
                    .ignores("user truncate raw_scores max_tokens_per_doc")
                    .build();

    private static final String DOCUMENTS = "documents";
    private static final String TEXTS = "texts";

    private final ServedModel served;
    private final TextEmbedder embedder;
    private final boolean bare;
    private final boolean returnsTexts;
    private final boolean normalizes;
    private final int most;
    private final List<String> documents = new ArrayList<>();
    private final List<int[]> pairs = new ArrayList<>();

    private RerankRequest(RequestFields fields, ServedModel served) {
        this.served = served;
        embedder = TextLimits.scores(served);
        bare = fields.find(TEXTS).isPresent();
        returnsTexts = fields.flag(bare ? "return_text" : "return_documents").orElse(false);
        normalizes = fields.flag("normalize").orElse(false);
        most = (int) fields.whole("top_n", 1, Integer.MAX_VALUE).orElse(Integer.MAX_VALUE);
        String query =
                fields.text("query")
                        .orElseThrow(() -> ApiException.invalid("query", "query: missing"));
        String field = bare ? TEXTS : DOCUMENTS;
        JsonNode all = fields.require(field);
        if (!all.isArray()) {
            throw RequestFields.wrongType(field, "an array of strings", all);
        }
        TextLimits.requireCount(field, all.size());
        for (int i = 0; i < all.size(); i++) {
            add(field + "[" + i + "]", all.get(i), query);
        }
    }

    /** Reads a body. */
    public static EncodingWork read(ObjectNode body, ServedModel served) {
        RerankRequest request = new RerankRequest(new RequestFields(body), served);
        return new EncodingWork(request.embedder, request.pairs, request::response);
    }

    private void add(String field, JsonNode document, String query) {
        JsonNode text = document instanceof ObjectNode object ? object.path("text") : document;
        if (!text.isString()) {
            throw RequestFields.wrongType(field, "a string or an object with a text", document);
        }
        documents.add(text.stringValue());
        pairs.add(
                TextLimits.tokens(
                        field, () -> EncoderInput.ofPair(embedder, query, text.stringValue())));
    }

    private JsonNode response(float[][] scores) {
        List<Integer> best =
                IntStream.range(0, scores.length)
                        .boxed()
                        .sorted(Comparator.comparingDouble(index -> -scores[index][0]))
                        .limit(most)
                        .toList();
        ArrayNode results = Json.MAPPER.createArrayNode();
        best.forEach(index -> add(results.addObject(), index, scores[index][0]));
        if (bare) {
            return results;
        }
        ObjectNode response =
                Json.object().put("object", "list").put("model", served.description().id());
        response.set("results", results);
        long tokens = EncodingWork.tokens(pairs);
        response.putObject("usage").put("prompt_tokens", tokens).put("total_tokens", tokens);
        return response;
    }

    private void add(ObjectNode result, int index, float score) {
        double shown = normalizes ? embedder.pairs().probability(score) : score;
        result.put("index", index).put(bare ? "score" : "relevance_score", shown);
        if (returnsTexts && bare) {
            result.put("text", documents.get(index));
        } else if (returnsTexts) {
            result.putObject("document").put("text", documents.get(index));
        }
    }
}
