package dev.varve.platform.http.anthropic;

import dev.varve.platform.http.answer.AnswerFormat;
import dev.varve.platform.http.answer.EarlyForm;
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

import tools.jackson.databind.node.ObjectNode;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** {@code /v1/messages}, and the prompts that {@code /v1/messages/count_tokens} counts. */
public final class MessagesDialect implements Dialect {
    /** Signs of life of its streams before the response's format is known. */
    public static final EarlyForm EARLY = MessagesEarlyForm.INSTANCE;

    private static final String THINKING = "thinking";
    private static final String OUTPUT = "output_config";

    private static final FieldRules RULES =
            SharedFields.text()
                    .more()
                    .only("logprobs", "false", value -> !value.asBoolean(true))
                    .onlyNumber("top_logprobs", 0)
                    .only("parallel_tool_calls", "true", value -> value.asBoolean(false))
                    .honours("messages system tools tool_choice thinking")
                    .honours("output_config output_format")
                    .honours("enable_thinking thinking_budget chat_template_kwargs")
                    .ignores("cache_control context_management inference_geo speed betas")
                    .onlyNumber("n", 1)
                    .refuses("mcp_servers container", "is not supported by this server")
                    .build();

    @Override
    public FieldRules rules() {
        return RULES;
    }

    @Override
    public Conversation read(Fields fields, ServedModel served) {
        // Agents ask for more than any answer has, whatever the context.
        GenerationCall call =
                GenerationCall.read("msg_", fields, served, OptionalInt.empty()).yielding();
        Transcript transcript = MessagesTranscript.read(fields);
        return new Conversation(
                call,
                transcript,
                transcript.begun().isPresent() ? Turn.CONTINUE : Turn.ANSWER,
                ToolUse.read(MessagesTools.read(fields)),
                form(fields),
                Thinking.read(thoughts(fields), served.language().reasoningDefaults()),
                Map.of(),
                new Conversation.Wishes(
                        CacheFields.read(fields),
                        CompressionFields.read(fields, served.compressor().isPresent())));
    }

    /**
     * {@code output_config.format}, {@code output_format} as it was called before, or what other
     * vendors have for it.
     */
    private static FormFields form(Fields fields) {
        Optional<FormFields> format =
                fields.nested(OUTPUT)
                        .flatMap(output -> output.nested("format"))
                        .map(each -> form(OUTPUT + ".format", each));
        return format.or(
                        () ->
                                fields.nested("output_format")
                                        .map(each -> form("output_format", each)))
                .orElseGet(() -> FormFields.read(fields));
    }

    private static FormFields form(String field, Fields format) {
        String type = format.text("type").orElse("");
        if (!type.equals("json_schema")) {
            throw ApiException.invalid(field, field + ".type: expected json_schema");
        }
        return FormFields.ofSchema(field + ".schema", format.require("schema"));
    }

    /** The fields that are about thoughts; an effort without them is about other things. */
    private static Fields thoughts(Fields fields) {
        ObjectNode asked = Json.object();
        Optional<ObjectNode> thinking = fields.object(THINKING);
        thinking.ifPresent(each -> asked.set(THINKING, each));
        for (String name : List.of("chat_template_kwargs", "enable_thinking", "thinking_budget")) {
            fields.find(name).ifPresent(value -> asked.set(name, value));
        }
        Optional<String> effort = fields.nested(OUTPUT).flatMap(output -> output.text("effort"));
        boolean thinks =
                thinking.filter(each -> !each.path("type").asString("").equals("disabled"))
                        .isPresent();
        effort.ifPresent(each -> Thinking.checkEffort(OUTPUT + ".effort", each));
        effort.filter(each -> thinks).ifPresent(each -> asked.put("reasoning_effort", each));
        return new Fields(asked);
    }

    @Override
    public AnswerFormat format(Conversation conversation, PreparedPrompt prompt) {
        return new MessagesFormat(
                conversation.call().head(), prompt, conversation.thinking().asked());
    }

    @Override
    public ErrorForm errors() {
        return ErrorForm.ANTHROPIC;
    }
}
