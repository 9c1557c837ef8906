package dev.varve.platform.http.llamacpp;

import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.http.answer.PendingPreparation;
import dev.varve.platform.http.answer.PreparedRequest;
import dev.varve.platform.http.conversation.ImagePrompts;
import dev.varve.platform.http.conversation.SharedFieldRules;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.FieldRules;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.openai.CompletionRequests;
import dev.varve.platform.http.openai.InfillFields;

import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Reads {@code POST /completion} and {@code /infill}: one prompt and one response, limited only by
 * the context by default.
 */
public final class LlamaCppCompletions {
    /** Rules for the fields of request bodies. */
    public static final FieldRules RULES =
            SharedFieldRules.bareText()
                    .more()
                    .supported("prompt image_data")
                    .onlyNumber("logprobs n_probs", 0)
                    .onlyNumber("n", 1)
                    .build();

    /** Rules for the fields of {@code POST /infill}: the model fills in the middle of a text. */
    public static final FieldRules INFILL_RULES =
            RULES.more()
                    .supported("input_prefix input_suffix input_extra")
                    .refuses(TaggedImages.FIELD, "is not supported here; use /completion")
                    .build();

    private static final CompletionRequests.Kind KIND = kind(InfillFields.NONE);
    private static final CompletionRequests.Kind INFILL = kind(InfillFields.INPUT);

    private LlamaCppCompletions() {}

    private static CompletionRequests.Kind kind(InfillFields infill) {
        return new CompletionRequests.Kind(
                "cmpl-", Integer.MAX_VALUE, infill, LlamaCppCompletions::format);
    }

    /**
     * Reads a body whose fields were checked by the rules.
     *
     * @throws ApiException if it is invalid, or its prompt exceeds the context
     */
    public static PendingPreparation read(ObjectNode body, ServedModel served) {
        RequestFields fields = new RequestFields(body);
        if (!TaggedImages.areIn(fields)) {
            return PendingPreparation.done(
                    CompletionRequests.read(fields, served, OptionalInt.empty(), KIND));
        }
        TaggedImages images = TaggedImages.read(fields, served);
        String text = fields.text("prompt").orElseThrow(LlamaCppCompletions::noText);
        CompletionRequests.ParsedCompletion parsed =
                CompletionRequests.parse(fields, served, OptionalInt.empty(), KIND);
        ChatPrompt prompt = served.promptLimit().apply(1, limit -> images.prompt(text, limit));
        ImagePrompts prompts = ImagePrompts.of(served, images.sources());
        prompts.requireFits(prompt, 1);
        return new PendingPreparation(
                parsed.parameters().delivery(),
                disconnected -> parsed.of(List.of(prompts.encoded(prompt, disconnected))));
    }

    private static ApiException noText() {
        return ApiException.invalid(
                "prompt", "prompt: expected a string with a tag for each image, found nothing");
    }

    /**
     * Returns the tokens of a text for {@code /tokenize}, with the placeholder for each token of
     * its images; empty if the body has none.
     *
     * @throws ApiException a 400 if a field is wrong
     */
    public static Optional<int[]> tokens(ObjectNode body, ServedModel served) {
        RequestFields fields = new RequestFields(body);
        if (!TaggedImages.areIn(fields)) {
            return Optional.empty();
        }
        TaggedImages images = TaggedImages.read(fields, served);
        ChatPrompt prompt =
                served.promptLimit()
                        .apply(1, limit -> images.prompt(fields.text("content").orElse(""), limit));
        return Optional.of(ImagePrompts.of(served, images.sources()).measured(prompt).tokens());
    }

    /**
     * Reads a body of {@code /infill} whose fields were checked by the rules; {@code prompt} is the
     * text between the prefix and the gap.
     */
    public static PreparedRequest readInfill(ObjectNode body, ServedModel served) {
        RequestFields fields = new RequestFields(body);
        fields.require("input_prefix");
        fields.require("input_suffix");
        return CompletionRequests.read(fields, served, OptionalInt.empty(), INFILL);
    }

    private static LlamaCppSerializer format(CompletionRequests.CompletionRequestFacts asked) {
        if (asked.prompts().size() != 1) {
            throw ApiException.invalid(
                    "prompt", "prompt: expected one prompt; /v1/completions accepts several");
        }
        return new LlamaCppSerializer(
                asked.parameters().head().model(), asked.prompts().getFirst());
    }
}
