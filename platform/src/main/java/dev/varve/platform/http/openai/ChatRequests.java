package dev.varve.platform.http.openai;

import dev.varve.api.VarveException;
import dev.varve.platform.chat.AnswerForm;
import dev.varve.platform.chat.AnswerOptions;
import dev.varve.platform.chat.AnswerSession;
import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.compression.conversation.CompressionWish;
import dev.varve.platform.compression.conversation.ConversationCompressor;
import dev.varve.platform.compression.conversation.Shortened;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.http.answer.AnswerPreparation;
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
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.BooleanSupplier;

/** {@code POST /v1/chat/completions}, and {@code /apply-template}, which shows its prompt. */
public final class ChatRequests {
    private static final int MAX_TOP_LOGPROBS = 20;

    private static final System.Logger LOG = System.getLogger("dev.varve.http");

    /** What a request asks, but for its messages. */
    private record Asked(
            Fields fields,
            GenerationCall call,
            ToolUse tools,
            AnswerForm form,
            Thinking thinking,
            CacheWish cache,
            CompressionWish compression) {}

    /** A conversation as the template has it. */
    private record Rendered(
            ChatPrompt prompt,
            List<Map<String, Object>> messages,
            ChatRenderer renderer,
            Map<String, Object> variables) {
        /** How many tokens a prompt of other messages is. */
        private int tokens(List<Map<String, Object>> others) {
            return others.equals(messages)
                    ? prompt.tokens().length
                    : renderer.render(with(others)).tokens().length;
        }

        /** Other messages in the same place. */
        private Map<String, Object> with(List<Map<String, Object>> others) {
            Map<String, Object> all = new LinkedHashMap<>(variables);
            all.put("messages", others);
            return all;
        }
    }

    private final ServedModel served;
    private final ToolSupport toolSupport;
    private final Runnable failures;

    /** Reads requests for a model. */
    public ChatRequests(ServedModel served, ToolSupport toolSupport) {
        this(served, toolSupport, () -> {});
    }

    /**
     * Likewise.
     *
     * @param failures hears of each prompt that should have become shorter and did not
     */
    public ChatRequests(ServedModel served, ToolSupport toolSupport, Runnable failures) {
        this.served = served;
        this.toolSupport = toolSupport;
        this.failures = failures;
    }

    /** Reads the body of {@code /v1/chat/completions}. */
    public AnswerPreparation read(ObjectNode body) {
        Fields fields = new Fields(body);
        FormFields form = FormFields.read(fields);
        GenerationCall call = GenerationCall.read("chatcmpl-", fields, served, topLogprobs(fields));
        CacheWish cache = CacheFields.read(fields);
        CompressionWish wish = CompressionFields.read(fields, served.compressor().isPresent());
        ToolUse tools = tools(fields);
        Asked asked =
                new Asked(
                        fields,
                        call,
                        tools,
                        compiled(form, tools),
                        Thinking.read(fields, served.language().reasoningDefaults()),
                        cache,
                        wish);
        Optional<ConversationCompressor> compressor =
                served.compressor().filter(each -> each.mayCompress(wish));
        Rendered rendered =
                rendered(
                        asked.fields(),
                        asked.tools(),
                        asked.thinking(),
                        call.end().maxTokens().orElse(1),
                        compressor.isPresent());
        if (compressor.isPresent()) {
            return gone -> compressed(asked, rendered, compressor.get(), gone);
        }
        PendingAnswer pending = pending(asked, rendered.prompt(), Optional.empty());
        return gone -> pending;
    }

    /** Makes the conversation shorter, if it is to be; then it is rendered again. */
    private PendingAnswer compressed(
            Asked asked,
            Rendered rendered,
            ConversationCompressor compressor,
            BooleanSupplier gone) {
        int tokens = rendered.prompt().tokens().length;
        Optional<Shortened> shorter = shortened(asked, rendered, compressor, gone);
        if (shorter.isEmpty()) {
            return pending(asked, rendered.prompt(), Optional.empty());
        }
        Map<String, Object> variables = rendered.with(shorter.get().messages());
        ChatPrompt prompt =
                PromptLimit.of(served)
                        .apply(
                                asked.call().end().maxTokens().orElse(1),
                                limit -> rendered.renderer().render(variables, limit));
        return pending(
                asked, prompt, Optional.of(shorter.get().report(tokens, prompt.tokens().length)));
    }

    private Optional<Shortened> shortened(
            Asked asked,
            Rendered rendered,
            ConversationCompressor compressor,
            BooleanSupplier gone) {
        int tokens = rendered.prompt().tokens().length;
        try {
            return compressor.compress(
                    new ConversationCompressor.Conversation(
                            rendered.messages(),
                            messages -> rendered.renderer().text(rendered.with(messages)),
                            messages -> rendered.tokens(messages)),
                    asked.compression(),
                    gone);
        } catch (VarveException e) {
            if (!fits(tokens, asked)) {
                throw e;
            }
            failures.run();
            LOG.log(
                    System.Logger.Level.WARNING,
                    "a prompt of " + tokens + " tokens stays as it is: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** Whether the model can get a prompt as it is. */
    private boolean fits(int tokens, Asked asked) {
        long output = asked.call().end().maxTokens().orElse(1);
        return tokens + output <= served.engine().status().load().contextTokens();
    }

    private PendingAnswer pending(
            Asked asked, ChatPrompt prompt, Optional<CompressionReport> compression) {
        GenerationCall call = asked.call();
        ToolUse tools = asked.tools();
        int maxOutput = call.maxOutput(prompt, Integer.MAX_VALUE, served);
        AnswerOptions options =
                new AnswerOptions(
                        tools.declarations(),
                        call.end().stops(),
                        asked.thinking().budget(maxOutput),
                        tools.forced(),
                        asked.form());
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
                        asked.thinking().asked(),
                        compression),
                compression
                        .map(report -> asked.cache().ofCompressed(report.fingerprint().hex()))
                        .orElse(asked.cache()),
                compression,
                end -> learn(asked.compression(), end.speculation()));
    }

    private void learn(CompressionWish wish, GenerationEnd.Speculation guesses) {
        served.compressor()
                .ifPresent(each -> each.finished(wish, guesses.drafted(), guesses.accepted()));
    }

    /** The prompt of a chat completion's body, as text and as a number of tokens. */
    public ObjectNode applyTemplate(ObjectNode body) {
        Fields fields = new Fields(body);
        Thinking thinking = Thinking.read(fields, served.language().reasoningDefaults());
        ChatPrompt prompt = rendered(fields, tools(fields), thinking, 1, false).prompt();
        return Json.object().put("prompt", prompt.text()).put("tokens", prompt.tokens().length);
    }

    private ToolUse tools(Fields fields) {
        ToolUse tools = ToolUse.read(fields);
        if (!tools.isEmpty()) {
            toolSupport.require();
        }
        return tools;
    }

    /**
     * The prompt of the messages.
     *
     * @param output tokens that are to follow it
     * @param compressible whether it may be too long for the model as it is
     */
    private Rendered rendered(
            Fields fields, ToolUse tools, Thinking thinking, long output, boolean compressible) {
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
        Map<String, Object> variables = variables(fields);
        // Templates ask whether there are tools at all.
        variables.put("tools", tools.isEmpty() ? null : tools.forTemplate());
        thinking.enabled().ifPresent(enabled -> variables.put(Thinking.SWITCH, enabled));
        ChatMessages messages = ChatMessages.read(fields.require("messages"));
        PromptLimit limits = PromptLimit.of(served);
        return compressible
                ? limits.applyBeforeCompression(
                        output, limit -> render(renderer, messages, variables, limit))
                : limits.apply(output, limit -> render(renderer, messages, variables, limit));
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
    private static Rendered render(
            ChatRenderer renderer,
            ChatMessages messages,
            Map<String, Object> variables,
            TokenLimit limit) {
        try {
            return render(renderer, messages.list(), variables, limit);
        } catch (TemplateException e) {
            if (!e.raisedByTemplate() || !messages.hasLateSystem()) {
                throw e;
            }
            return render(renderer, messages.systemFirst().list(), variables, limit);
        }
    }

    private static Rendered render(
            ChatRenderer renderer,
            List<Map<String, Object>> messages,
            Map<String, Object> variables,
            TokenLimit limit) {
        variables.put("messages", messages);
        return new Rendered(renderer.render(variables, limit), messages, renderer, variables);
    }

    /** What answers must be; may take a while. */
    private AnswerForm compiled(FormFields form, ToolUse tools) {
        return form.compile(
                () ->
                        served.language()
                                .dialect()
                                .form(
                                        tools.declarations(),
                                        tools.forced(),
                                        form.source(),
                                        served.language().grammars()));
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
