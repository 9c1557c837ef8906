package dev.varve.platform.http.openai;

import dev.varve.platform.chat.AnswerOptions;
import dev.varve.platform.chat.AnswerSession;
import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.http.answer.AnswerReader;
import dev.varve.platform.http.answer.CacheWish;
import dev.varve.platform.http.answer.PendingAnswer;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.Fields;
import dev.varve.platform.http.json.Json;
import dev.varve.platform.http.model.PromptLimit;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.model.ToolSupport;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.template.TemplateException;
import dev.varve.platform.tokenizer.TokenLimit;

import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;

/** {@code POST /v1/chat/completions}, and {@code /apply-template}, which shows its prompt. */
public final class ChatRequests {
    private static final int MAX_TOP_LOGPROBS = 20;

    /** What a request becomes before anything is generated. */
    private record Conversation(ChatPrompt prompt, ToolUse tools, Thinking thinking) {}

    private final ServedModel served;
    private final ToolSupport toolSupport;

    /** Reads requests for a model. */
    public ChatRequests(ServedModel served, ToolSupport toolSupport) {
        this.served = served;
        this.toolSupport = toolSupport;
    }

    /** Reads the body of {@code /v1/chat/completions}. */
    public PendingAnswer read(ObjectNode body) {
        Fields fields = new Fields(body);
        requireText(fields);
        GenerationCall call = GenerationCall.read("chatcmpl-", fields, served, topLogprobs(fields));
        CacheWish cache = CacheFields.read(fields);
        Conversation conversation = conversation(fields, call.end().maxTokens().orElse(1));
        ChatPrompt prompt = conversation.prompt();
        ToolUse tools = conversation.tools();
        int maxOutput = call.maxOutput(prompt, Integer.MAX_VALUE, served);
        AnswerOptions options =
                new AnswerOptions(
                        tools.declarations(),
                        call.end().stops(),
                        conversation.thinking().budget(maxOutput),
                        tools.forced());
        List<PendingAnswer.Choice> choices = new ArrayList<>();
        for (int choice = 0; choice < call.choices(); choice++) {
            AnswerSession session = served.language().dialect().open(prompt.tokens(), options);
            choices.add(
                    new PendingAnswer.Choice(
                            call.request(prompt, choice, maxOutput, session.guide(), served),
                            tools.single()
                                    ? AnswerReader.ofFirstCall(session.text())
                                    : AnswerReader.of(session.text())));
        }
        return new PendingAnswer(
                call.delivery(),
                choices,
                new ChatFormat(
                        call,
                        new Logprobs(served.language().tokenizer()),
                        conversation.thinking().asked()),
                cache);
    }

    /** The prompt of a chat completion's body, as text and as a number of tokens. */
    public ObjectNode applyTemplate(ObjectNode body) {
        ChatPrompt prompt = conversation(new Fields(body), 1).prompt();
        return Json.object().put("prompt", prompt.text()).put("tokens", prompt.tokens().length);
    }

    /** {@code output}: tokens that are to follow the prompt. */
    private Conversation conversation(Fields fields, long output) {
        ChatRenderer renderer =
                served.language()
                        .chat()
                        .orElseThrow(
                                () ->
                                        ApiException.invalid(
                                                "messages",
                                                "the model has no chat template; use"
                                                    + " /v1/completions, or start the server with "
                                                        + Setting.CHAT_TEMPLATE));
        ToolUse tools = ToolUse.read(fields);
        if (!tools.isEmpty()) {
            toolSupport.require();
        }
        Thinking thinking = Thinking.read(fields, served.language().reasoningDefaults());
        Map<String, Object> variables = variables(fields);
        // Templates ask whether there are tools at all.
        variables.put("tools", tools.isEmpty() ? null : tools.forTemplate());
        thinking.enabled().ifPresent(enabled -> variables.put(Thinking.SWITCH, enabled));
        ChatMessages messages = ChatMessages.read(fields.require("messages"));
        ChatPrompt prompt =
                PromptLimit.of(served)
                        .apply(output, limit -> render(renderer, messages, variables, limit));
        return new Conversation(prompt, tools, thinking);
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
        return variables;
    }

    /** System messages stay where they are, unless the template refuses that. */
    private static ChatPrompt render(
            ChatRenderer renderer,
            ChatMessages messages,
            Map<String, Object> variables,
            TokenLimit limit) {
        variables.put("messages", messages.list());
        try {
            return renderer.render(variables, limit);
        } catch (TemplateException e) {
            if (!e.raisedByTemplate() || !messages.hasLateSystem()) {
                throw e;
            }
            variables.put("messages", messages.systemFirst().list());
            return renderer.render(variables, limit);
        }
    }

    private static void requireText(Fields fields) {
        fields.object("response_format")
                .ifPresent(
                        format -> {
                            String type = new Fields(format).text("type").orElse("");
                            if (!type.equals("text")) {
                                throw ApiException.invalid(
                                        "response_format",
                                        "response_format: only type 'text' is supported");
                            }
                        });
    }

    private static OptionalInt topLogprobs(Fields fields) {
        boolean wanted = fields.flag("logprobs").orElse(false);
        int top = (int) fields.whole("top_logprobs", 0, MAX_TOP_LOGPROBS).orElse(0);
        if (top > 0 && !wanted) {
            throw ApiException.invalid("top_logprobs", "top_logprobs: needs logprobs to be true");
        }
        return wanted ? OptionalInt.of(top) : OptionalInt.empty();
    }
}
