package dev.varve.platform.http;

import dev.varve.platform.chat.AnswerOptions;
import dev.varve.platform.chat.ChatPrompt;

import tools.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@code POST /v1/chat/completions}. */
final class ChatRoute {
    private static final int MAX_TOP_LOGPROBS = 20;

    private ChatRoute() {}

    static PendingAnswer read(ObjectNode body, ServedModel served) {
        Fields fields = new Fields(body);
        requireText(fields);
        GenerationCall call = GenerationCall.read("chatcmpl-", fields, served, topLogprobs(fields));
        Map<String, Object> variables = new LinkedHashMap<>();
        fields.object("chat_template_kwargs")
                .ifPresent(
                        extra ->
                                extra.properties()
                                        .forEach(
                                                entry ->
                                                        variables.put(
                                                                entry.getKey(),
                                                                Json.plain(entry.getValue()))));
        variables.put("messages", ChatMessages.read(fields.require("messages")));
        variables.put("tools", tools(fields));
        thinking(fields).ifPresent(enabled -> variables.putIfAbsent("enable_thinking", enabled));
        ChatPrompt prompt =
                served.chat()
                        .orElseThrow(
                                () ->
                                        ApiException.invalid(
                                                "messages",
                                                "the model has no chat template; use"
                                                    + " /v1/completions, or start the server with"
                                                    + " --chat-template-file"))
                        .render(variables);
        List<PendingAnswer.Choice> choices = new ArrayList<>();
        for (int choice = 0; choice < call.choices(); choice++) {
            choices.add(
                    new PendingAnswer.Choice(
                            call.request(prompt.tokens(), prompt.stablePrefix(), choice, 0, served),
                            () ->
                                    served.dialect()
                                            .open(
                                                    prompt.tokens(),
                                                    AnswerOptions.stoppingAt(call.stops()))
                                            .text()));
        }
        return new PendingAnswer(
                call, choices, new ChatFormat(call, new Logprobs(served.tokenizer())));
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

    private static int topLogprobs(Fields fields) {
        boolean wanted = fields.flag("logprobs", false);
        int top = (int) fields.whole("top_logprobs", 0, MAX_TOP_LOGPROBS).orElse(0);
        if (top > 0 && !wanted) {
            throw ApiException.invalid("top_logprobs", "top_logprobs: needs logprobs to be true");
        }
        return wanted ? top : -1;
    }

    /** Null where there are none, as templates test for it. */
    private static Object tools(Fields fields) {
        boolean none =
                fields.find("tool_choice")
                        .filter(choice -> choice.isString() && choice.stringValue().equals("none"))
                        .isPresent();
        return fields.find("tools")
                .map(
                        tools -> {
                            if (!tools.isArray()) {
                                throw Fields.wrong("tools", "an array", tools);
                            }
                            return none || tools.isEmpty() ? null : Json.plain(tools);
                        })
                .orElse(null);
    }

    private static Optional<Boolean> thinking(Fields fields) {
        if (fields.find("enable_thinking").isPresent()) {
            return Optional.of(fields.flag("enable_thinking", true));
        }
        return fields.text("reasoning_effort").map(effort -> !effort.equals("none"));
    }
}
