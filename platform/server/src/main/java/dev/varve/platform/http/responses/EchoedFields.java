package dev.varve.platform.http.responses;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.sampling.SamplingParameter;
import dev.varve.platform.sampling.SamplingValues;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * Fields of a request that its response repeats, with the values in effect: nothing is stored,
 * prompts are not truncated, and there is one service tier.
 *
 * @param fields fields that the response repeats
 * @param topLogprobs alternatives per token; empty for no log probabilities
 */
record EchoedFields(ObjectNode fields, OptionalInt topLogprobs) {
    private static final int MAX_TOP_LOGPROBS = 20;
    private static final int UNLIMITED = -1;
    private static final int MAX_PAIRS = 16;
    private static final int MAX_KEY = 64;
    private static final int MAX_VALUE = 512;
    private static final int MAX_NAME = 512;
    private static final int MAX_INCLUDED = 64;
    private static final String LOGPROBS = "message.output_text.logprobs";
    private static final List<String> NAMES =
            List.of("prompt_cache_key", "prompt_cache_retention", "safety_identifier", "user");

    /**
     * Returns a copy with a model's sampling defaults for the fields that the request does not set.
     */
    EchoedFields withDefaults(RequestFields request, SamplingValues defaults) {
        ObjectNode more = fields.deepCopy();
        for (SamplingParameter each :
                List.of(SamplingParameter.TEMPERATURE, SamplingParameter.TOP_P)) {
            if (request.find(each.wireName()).isEmpty()) {
                more.put(each.wireName(), defaults.get(each));
            }
        }
        return new EchoedFields(more, topLogprobs);
    }

    /** Reads the fields. */
    static EchoedFields read(RequestFields request, ResponsesTools tools) {
        int top = (int) request.whole("top_logprobs", 0, MAX_TOP_LOGPROBS).orElse(0);
        List<String> included = request.texts("include", MAX_INCLUDED, MAX_NAME);
        ObjectNode repeated = Json.object();
        repeated.put("background", false);
        repeated.put("instructions", request.text("instructions").orElse(null));
        putWhole(repeated, "max_output_tokens", request, UNLIMITED);
        putWhole(repeated, "max_tool_calls", request, 1);
        repeated.set("metadata", metadata(request));
        repeated.put("parallel_tool_calls", !tools.use().single());
        repeated.putNull("previous_response_id");
        NAMES.forEach(name -> repeated.put(name, shortText(request, name).orElse(null)));
        repeated.set("reasoning", reasoning(request));
        repeated.put("service_tier", "default");
        repeated.put("store", false);
        repeated.put("temperature", request.number("temperature", 0, 2).orElse(1));
        repeated.set("text", text(request));
        repeated.set(
                "tool_choice", request.find("tool_choice").orElse(Json.MAPPER.valueToTree("auto")));
        repeated.set("tools", tools.shown());
        repeated.put("top_logprobs", top);
        repeated.put("top_p", request.number("top_p", 0, 1).orElse(1));
        repeated.put("truncation", "disabled");
        boolean wanted = top > 0 || included.contains(LOGPROBS);
        return new EchoedFields(repeated, wanted ? OptionalInt.of(top) : OptionalInt.empty());
    }

    private static void putWhole(
            ObjectNode repeated, String name, RequestFields request, int least) {
        OptionalLong value = request.whole(name, least, Integer.MAX_VALUE);
        if (value.orElse(UNLIMITED) != UNLIMITED) {
            repeated.put(name, value.getAsLong());
        } else {
            repeated.putNull(name);
        }
    }

    private static ObjectNode metadata(RequestFields request) {
        ObjectNode metadata = request.object("metadata").orElseGet(Json::object);
        boolean small =
                metadata.size() <= MAX_PAIRS
                        && metadata.properties().stream()
                                .allMatch(
                                        pair ->
                                                pair.getKey().length() <= MAX_KEY
                                                        && pair.getValue().isString()
                                                        && pair.getValue().stringValue().length()
                                                                <= MAX_VALUE);
        if (!small) {
            throw ApiException.invalid(
                    "metadata",
                    "metadata: expected at most "
                            + MAX_PAIRS
                            + " strings of at most "
                            + MAX_VALUE
                            + " characters, with names of at most "
                            + MAX_KEY);
        }
        return metadata;
    }

    private static ObjectNode reasoning(RequestFields request) {
        ObjectNode reasoning = Json.object();
        Optional<RequestFields> given = request.nested("reasoning");
        for (String name : List.of("effort", "summary")) {
            reasoning.put(name, given.flatMap(each -> shortText(each, name)).orElse(null));
        }
        given.ifPresent(each -> each.text("generate_summary"));
        return reasoning;
    }

    private static ObjectNode text(RequestFields request) {
        ObjectNode text = Json.object();
        Optional<RequestFields> given = request.nested("text");
        text.set(
                "format",
                given.flatMap(each -> each.object("format"))
                        .orElseGet(() -> Json.object().put("type", "text")));
        given.flatMap(each -> word(each, "verbosity", List.of("low", "medium", "high")))
                .ifPresent(verbosity -> text.put("verbosity", verbosity));
        return text;
    }

    private static Optional<String> word(RequestFields fields, String name, List<String> known) {
        Optional<String> word = fields.text(name);
        if (word.isPresent() && !known.contains(word.get())) {
            throw ApiException.invalid(
                    fields.place(name),
                    fields.place(name) + ": expected one of " + String.join(", ", known));
        }
        return word;
    }

    private static Optional<String> shortText(RequestFields fields, String name) {
        Optional<String> text = fields.text(name);
        if (text.isPresent() && text.get().length() > MAX_NAME) {
            throw ApiException.invalid(
                    fields.place(name),
                    fields.place(name) + ": expected at most " + MAX_NAME + " characters");
        }
        return text;
    }
}
