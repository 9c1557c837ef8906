package dev.varve.platform.http.openai;

import dev.varve.platform.http.answer.AnswerFormat;
import dev.varve.platform.http.conversation.CacheFields;
import dev.varve.platform.http.conversation.CompressionFields;
import dev.varve.platform.http.conversation.Conversation;
import dev.varve.platform.http.conversation.Dialect;
import dev.varve.platform.http.conversation.FormFields;
import dev.varve.platform.http.conversation.GenerationCall;
import dev.varve.platform.http.conversation.PreparedPrompt;
import dev.varve.platform.http.conversation.SharedFields;
import dev.varve.platform.http.conversation.Thinking;
import dev.varve.platform.http.conversation.ToolUse;
import dev.varve.platform.http.conversation.Transcript;
import dev.varve.platform.http.conversation.Turn;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.FieldRules;
import dev.varve.platform.http.json.Fields;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.model.ServedModel;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** {@code /v1/chat/completions}. */
public final class ChatDialect implements Dialect {
    private static final int MAX_TOP_LOGPROBS = 20;
    private static final FieldRules RULES =
            SharedFields.text()
                    .more()
                    .honours("messages tools tool_choice parallel_tool_calls top_logprobs")
                    .honours("reasoning reasoning_effort thinking enable_thinking thinking_budget")
                    .honours("chat_template_kwargs add_generation_prompt continue_final_message")
                    .ignores("verbosity prediction include_reasoning reasoning_format")
                    .ignores("parse_tool_calls add_special_tokens mm_processor_kwargs")
                    .only("echo", "false", value -> value.isBoolean() && !value.booleanValue())
                    .refuses("chat_template", "is not supported; the server's template counts")
                    .refuses("documents", "is not supported; put them into a message")
                    .build();

    private static final String CONTINUE = "continue_final_message";
    private static final String GENERATION_PROMPT = "add_generation_prompt";

    @Override
    public FieldRules rules() {
        return RULES;
    }

    @Override
    public Conversation read(Fields fields, ServedModel served) {
        FormFields form = FormFields.read(fields);
        GenerationCall call = GenerationCall.read("chatcmpl-", fields, served, topLogprobs(fields));
        Transcript transcript = ChatMessages.read(fields.require("messages"));
        return new Conversation(
                call,
                transcript,
                turn(fields, transcript),
                ToolUse.read(fields),
                form,
                Thinking.read(fields, served.language().reasoningDefaults()),
                variables(fields),
                new Conversation.Wishes(
                        CacheFields.read(fields),
                        CompressionFields.read(fields, served.compressor().isPresent())));
    }

    /** A last message of the assistant is gone on with, unless the request wants another one. */
    private static Turn turn(Fields fields, Transcript transcript) {
        Optional<Boolean> goesOn = fields.flag(CONTINUE);
        Optional<Boolean> begins = fields.flag(GENERATION_PROMPT);
        boolean unfinished = transcript.unfinished().isPresent();
        if (goesOn.orElse(false) && begins.orElse(false)) {
            throw ApiException.invalid(
                    CONTINUE,
                    CONTINUE + ": expected false with " + GENERATION_PROMPT + ", found true");
        }
        if (goesOn.orElse(false) && !unfinished) {
            throw ApiException.invalid(
                    CONTINUE,
                    CONTINUE + ": expected a last message of the assistant without tool calls");
        }
        if (unfinished && goesOn.orElse(begins.isEmpty() && transcript.begun().isPresent())) {
            return Turn.CONTINUE;
        }
        return begins.orElse(true) ? Turn.ANSWER : Turn.NONE;
    }

    private static Map<String, Object> variables(Fields fields) {
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

    private static OptionalInt topLogprobs(Fields fields) {
        boolean wanted = fields.flag("logprobs").orElse(false);
        int top = (int) fields.whole("top_logprobs", 0, MAX_TOP_LOGPROBS).orElse(0);
        if (top > 0 && !wanted) {
            throw ApiException.invalid("top_logprobs", "top_logprobs: needs logprobs to be true");
        }
        return wanted ? OptionalInt.of(top) : OptionalInt.empty();
    }

    @Override
    public AnswerFormat format(Conversation conversation, PreparedPrompt prompt) {
        return new ChatFormat(
                conversation.call(),
                conversation.tools().custom(),
                new Logprobs(prompt.tokenizer()),
                conversation.thinking().asked(),
                prompt.compression());
    }

    @Override
    public ErrorForm errors() {
        return ErrorForm.OPENAI;
    }
}
