package dev.varve.platform.http.openai;

import dev.varve.platform.http.answer.ResponseSerializer;
import dev.varve.platform.http.conversation.ApiDialect;
import dev.varve.platform.http.conversation.ConversationRequest;
import dev.varve.platform.http.conversation.GenerationParameters;
import dev.varve.platform.http.conversation.GenerationPromptMode;
import dev.varve.platform.http.conversation.ImageCollector;
import dev.varve.platform.http.conversation.PromptFacts;
import dev.varve.platform.http.conversation.ReasoningParameters;
import dev.varve.platform.http.conversation.RequestTools;
import dev.varve.platform.http.conversation.ResponseFormatFields;
import dev.varve.platform.http.conversation.SharedFieldRules;
import dev.varve.platform.http.conversation.Transcript;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.FieldRules;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.model.ServedModel;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** The dialect of {@code /v1/chat/completions}. */
public final class ChatCompletionsDialect implements ApiDialect {
    private static final int MAX_TOP_LOGPROBS = 20;
    private static final FieldRules RULES =
            SharedFieldRules.text()
                    .more()
                    .supported("messages tools tool_choice parallel_tool_calls top_logprobs")
                    .supported(
                            "reasoning reasoning_effort thinking enable_thinking thinking_budget")
                    .supported("chat_template_kwargs add_generation_prompt continue_final_message")
                    .ignores(
                            "verbosity prediction include_reasoning reasoning_format"
                                    + " reasoning_control")
                    .ignores("parse_tool_calls add_special_tokens mm_processor_kwargs")
                    .only("echo", "false", value -> value.isBoolean() && !value.booleanValue())
                    .refuses(
                            "chat_template",
                            "is not supported; the server uses its own chat template")
                    .refuses("documents", "is not supported; put the documents into a message")
                    .build();

    private static final String CONTINUE = "continue_final_message";
    private static final String GENERATION_PROMPT = "add_generation_prompt";

    @Override
    public FieldRules rules() {
        return RULES;
    }

    @Override
    public ConversationRequest read(RequestFields fields, ServedModel served) {
        ResponseFormatFields form = ResponseFormatFields.read(fields);
        GenerationParameters parameters =
                GenerationParameters.read("chatcmpl-", fields, served, topLogprobs(fields));
        Transcript transcript =
                ChatMessages.read(fields.require("messages"), ImageCollector.of(served));
        return new ConversationRequest(
                parameters,
                transcript,
                generationStart(fields, transcript),
                RequestTools.read(fields),
                form,
                ReasoningParameters.read(fields, served.textProcessing().reasoningDefaults()),
                variables(fields),
                ConversationRequest.CacheAndCompressionOptions.read(fields, served));
    }

    /** Continues a trailing assistant message, unless the request asks for a new one. */
    private static GenerationPromptMode generationStart(
            RequestFields fields, Transcript transcript) {
        Optional<Boolean> continues = fields.flag(CONTINUE);
        Optional<Boolean> hasGenerationPrompt = fields.flag(GENERATION_PROMPT);
        boolean hasAssistantPrefix = transcript.assistantPrefix().isPresent();
        if (continues.orElse(false) && hasGenerationPrompt.orElse(false)) {
            throw ApiException.invalid(
                    CONTINUE,
                    CONTINUE + ": expected false with " + GENERATION_PROMPT + ", found true");
        }
        if (continues.orElse(false) && !hasAssistantPrefix) {
            throw ApiException.invalid(
                    CONTINUE,
                    CONTINUE + ": expected an assistant message without tool calls at the end");
        }
        if (hasAssistantPrefix
                && continues.orElse(
                        hasGenerationPrompt.isEmpty()
                                && transcript.nonEmptyAssistantPrefix().isPresent())) {
            return GenerationPromptMode.CONTINUE;
        }
        return hasGenerationPrompt.orElse(true)
                ? GenerationPromptMode.RESPONSE
                : GenerationPromptMode.NONE;
    }

    private static Map<String, Object> variables(RequestFields fields) {
        Map<String, Object> variables = new LinkedHashMap<>();
        fields.object("chat_template_kwargs")
                .ifPresent(
                        extra ->
                                extra.properties()
                                        .forEach(
                                                entry -> {
                                                    if (!entry.getValue().isNull()) {
                                                        variables.put(
                                                                entry.getKey(),
                                                                Json.plain(entry.getValue()));
                                                    }
                                                }));
        variables.remove(GENERATION_PROMPT);
        return variables;
    }

    private static OptionalInt topLogprobs(RequestFields fields) {
        boolean wanted = fields.flag("logprobs").orElse(false);
        int top = (int) fields.whole("top_logprobs", 0, MAX_TOP_LOGPROBS).orElse(0);
        if (top > 0 && !wanted) {
            throw ApiException.invalid(
                    "top_logprobs", "top_logprobs: expected logprobs to be true");
        }
        return wanted ? OptionalInt.of(top) : OptionalInt.empty();
    }

    @Override
    public ResponseSerializer format(ConversationRequest conversation, PromptFacts prompt) {
        return new ChatCompletionSerializer(
                conversation.parameters(),
                conversation.tools().custom(),
                new Logprobs(prompt.tokenizer()),
                conversation.reasoning().isRequested(),
                prompt.compression());
    }

    @Override
    public ErrorForm errors() {
        return ErrorForm.OPENAI;
    }
}
