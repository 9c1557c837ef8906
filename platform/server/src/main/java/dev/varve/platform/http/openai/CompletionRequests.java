package dev.varve.platform.http.openai;

import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.chat.ResponseFormat;
import dev.varve.platform.chat.ResponseOptions;
import dev.varve.platform.chat.ResponseState;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.chat.StoppingResponseParser;
import dev.varve.platform.chat.ToolCallRequirement;
import dev.varve.platform.http.answer.PreparedRequest;
import dev.varve.platform.http.answer.RequestCacheOptions;
import dev.varve.platform.http.answer.ResponseSerializer;
import dev.varve.platform.http.conversation.CacheFields;
import dev.varve.platform.http.conversation.CompressionFields;
import dev.varve.platform.http.conversation.GenerationParameters;
import dev.varve.platform.http.conversation.ResponseFormatFields;
import dev.varve.platform.http.conversation.SharedFieldRules;
import dev.varve.platform.http.json.FieldRules;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.model.DecodedTextLimit;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.tokenizer.InfillTokens;
import dev.varve.platform.tokenizer.Tokenizer;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;

/**
 * Reads {@code POST /v1/completions}: no chat template; special tokens in the prompt are parsed.
 */
public final class CompletionRequests {
    private static final int DEFAULT_TOKENS = 16;
    private static final int MAX_LOGPROBS = 20;

    private CompletionRequests() {}

    /** Rules for the fields of request bodies. */
    public static final FieldRules RULES =
            SharedFieldRules.bareText()
                    .more()
                    .supported("prompt echo suffix")
                    .ignores("add_special_tokens")
                    .build();

    /**
     * Differences between routes for plain text.
     *
     * @param idPrefix prefix of the response's id
     * @param defaultTokens maximum number of tokens of a response if the request gives none
     * @param infill fields by which a body asks for the middle of a text
     * @param format makes the serializer of the response
     */
    public record Kind(
            String idPrefix,
            int defaultTokens,
            InfillFields infill,
            Function<CompletionRequestFacts, ResponseSerializer> format) {}

    /**
     * Facts about a request that the serializer of its response needs.
     *
     * @param prompts prompts; with their texts only if the response contains them
     */
    public record CompletionRequestFacts(
            GenerationParameters parameters, List<ChatPrompt> prompts, Tokenizer tokenizer) {}

    private static final Kind KIND =
            new Kind("cmpl-", DEFAULT_TOKENS, InfillFields.SUFFIX, CompletionRequests::format);

    /** Reads a body of {@code /v1/completions} whose fields were checked by the rules. */
    public static PreparedRequest read(ObjectNode body, ServedModel served) {
        RequestFields fields = new RequestFields(body);
        OptionalInt topLogprobs =
                fields.whole("logprobs", 0, MAX_LOGPROBS).stream()
                        .mapToInt(top -> (int) top)
                        .findFirst();
        return read(fields, served, topLogprobs, KIND);
    }

    /** Returns the tokens that end the middle of a text, if a body asks for one. */
    private static Set<Integer> infillEnds(RequestFields fields, Kind kind, ServedModel served) {
        return kind.infill().areIn(fields)
                ? served.textProcessing()
                        .tokenizer()
                        .infillTokens()
                        .map(InfillTokens::ends)
                        .orElse(Set.of())
                : Set.of();
    }

    private static ResponseSerializer format(CompletionRequestFacts asked) {
        List<String> echoes = new ArrayList<>();
        for (ChatPrompt prompt : asked.prompts()) {
            echoes.addAll(Collections.nCopies(asked.parameters().choices(), prompt.text()));
        }
        return new CompletionSerializer(
                asked.parameters(), new Logprobs(asked.tokenizer()), echoes);
    }

    /** Returns the prompts of a body, with their texts. */
    public static List<ChatPrompt> prompts(ObjectNode body, ServedModel served) {
        RequestFields fields = new RequestFields(body);
        return prompts(
                fields,
                served,
                1,
                KIND.infill(),
                new PromptEcho(Optional.of(new DecodedTextLimit("prompt", 1)), true));
    }

    private static List<ChatPrompt> prompts(
            RequestFields fields,
            ServedModel served,
            long output,
            InfillFields infill,
            PromptEcho shown) {
        Tokenizer tokenizer = served.textProcessing().tokenizer();
        if (infill.areIn(fields)) {
            ChatPrompt prompt =
                    served.promptLimit()
                            .apply(
                                    output,
                                    limit ->
                                            InfillPrompt.read(
                                                    fields, infill, tokenizer, limit, shown));
            return List.of(prompt);
        }
        JsonNode given = fields.require("prompt");
        return served.promptLimit()
                .apply(
                        output,
                        limit ->
                                new CompletionPrompts(tokenizer, limit, shown.limit()).read(given));
    }

    /** Reads a body for a route of this kind. */
    public static PreparedRequest read(
            RequestFields fields, ServedModel served, OptionalInt topLogprobs, Kind kind) {
        ParsedCompletion parsed = parse(fields, served, topLogprobs, kind);
        Optional<DecodedTextLimit> echoed =
                fields.flag("echo").orElse(false)
                        ? Optional.of(new DecodedTextLimit("prompt", parsed.parameters().choices()))
                        : Optional.empty();
        long output = parsed.parameters().minOutput(Math.min(DEFAULT_TOKENS, kind.defaultTokens()));
        return parsed.of(
                prompts(fields, served, output, kind.infill(), new PromptEcho(echoed, false)));
    }

    /** Reads all fields of a body but those of its prompt. */
    public static ParsedCompletion parse(
            RequestFields fields, ServedModel served, OptionalInt topLogprobs, Kind kind) {
        ResponseFormatFields asked = ResponseFormatFields.read(fields);
        GenerationParameters parameters =
                GenerationParameters.read(
                        kind.idPrefix(),
                        fields,
                        served,
                        topLogprobs,
                        infillEnds(fields, kind, served));
        RequestCacheOptions cache = CacheFields.read(fields);
        CompressionFields.checkForText(fields);
        return new ParsedCompletion(kind, parameters, asked, cache, served);
    }

    /**
     * A body without its prompt.
     *
     * @param form required format of the content
     */
    public record ParsedCompletion(
            Kind kind,
            GenerationParameters parameters,
            ResponseFormatFields form,
            RequestCacheOptions cache,
            ServedModel served) {
        /** Prepares the requests of prompts to the engine. */
        public PreparedRequest of(List<ChatPrompt> prompts) {
            ResponseSyntax syntax = ResponseSyntax.plain(served.textProcessing().tokenizer());
            ResponseFormat compiled =
                    form.compile(
                            () ->
                                    syntax.form(
                                            List.of(),
                                            new ToolCallRequirement.None(),
                                            form.source(),
                                            served.textProcessing().grammars()));
            ResponseOptions options =
                    ResponseOptions.stoppingAt(parameters.end().stops()).of(compiled);
            List<PreparedRequest.Choice> choices = new ArrayList<>();
            for (ChatPrompt prompt : prompts) {
                int maxOutput = parameters.maxOutput(prompt, kind.defaultTokens(), served);
                for (int choice = 0; choice < parameters.choices(); choice++) {
                    ResponseState session = syntax.open(known(prompt), options);
                    choices.add(
                            new PreparedRequest.Choice(
                                    parameters.request(
                                            prompt,
                                            choice,
                                            maxOutput,
                                            session.constraint(),
                                            served),
                                    StoppingResponseParser.of(session.text())));
                }
            }
            return new PreparedRequest(
                    parameters.delivery(),
                    choices,
                    kind.format()
                            .apply(
                                    new CompletionRequestFacts(
                                            parameters,
                                            prompts,
                                            served.textProcessing().tokenizer())),
                    cache);
        }

        private int[] known(ChatPrompt prompt) {
            return served.images()
                    .map(images -> images.placeholders().known(prompt.tokens()))
                    .orElseGet(prompt::tokens);
        }
    }
}
