package dev.varve.platform.http.conversation;

import dev.varve.api.VarveException;
import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.PromptLimit;
import dev.varve.platform.chat.ResponseFormat;
import dev.varve.platform.chat.ResponseOptions;
import dev.varve.platform.chat.ResponseState;
import dev.varve.platform.chat.StoppingResponseParser;
import dev.varve.platform.compression.CompressionReport;
import dev.varve.platform.compression.conversation.CompressedConversation;
import dev.varve.platform.compression.conversation.CompressionOverrides;
import dev.varve.platform.compression.conversation.ConversationCompressor;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.http.answer.PendingPreparation;
import dev.varve.platform.http.answer.PreparedRequest;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.RequestFields;
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
import java.util.function.BooleanSupplier;

/** Renders conversations as prompts and prepares the engine's requests. Thread-safe. */
public final class ConversationPreparer {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");

    /** A conversation with its compiled response format. */
    private record ParsedRequest(
            ApiDialect dialect, ConversationRequest conversation, ResponseFormat form) {
        GenerationParameters parameters() {
            return conversation.parameters();
        }

        long output() {
            return parameters().minOutput(1);
        }
    }

    /** A conversation rendered by the template. */
    private record Rendered(
            ChatPrompt prompt,
            List<Map<String, Object>> messages,
            ChatRenderer renderer,
            Map<String, Object> variables,
            String assistantPrefix) {
        /** Returns the number of tokens of a prompt with other messages. */
        private int tokens(List<Map<String, Object>> others) {
            return others.equals(messages)
                    ? prompt.tokens().length
                    : render(others, TokenLimit.NONE).tokens().length;
        }

        ChatPrompt render(List<Map<String, Object>> others, TokenLimit limit) {
            return renderer.render(with(others), assistantPrefix, limit);
        }

        /** Returns the template variables with other messages. */
        private Map<String, Object> with(List<Map<String, Object>> others) {
            Map<String, Object> all = new LinkedHashMap<>(variables);
            all.put("messages", others);
            return all;
        }
    }

    private final ServedModel served;
    private final ToolSupport toolSupport;
    private final Runnable failures;

    /** Makes a preparer for a model. */
    public ConversationPreparer(ServedModel served, ToolSupport toolSupport) {
        this(served, toolSupport, () -> {});
    }

    /**
     * Makes a preparer that counts failed compressions.
     *
     * @param failures run for each prompt whose compression failed
     */
    public ConversationPreparer(ServedModel served, ToolSupport toolSupport, Runnable failures) {
        this.served = served;
        this.toolSupport = toolSupport;
        this.failures = failures;
    }

    /**
     * Reads the body of a request to generate.
     *
     * @throws ApiException if it is invalid, or its prompt exceeds the context
     */
    public PendingPreparation read(ApiDialect dialect, ObjectNode body) {
        ConversationRequest conversation = dialect.read(new RequestFields(body), served);
        CompressionOverrides overrides = conversation.promptOptions().compression();
        requireTools(conversation);
        ParsedRequest parsed = new ParsedRequest(dialect, conversation, compiled(conversation));
        if (!conversation.transcript().images().isEmpty()) {
            return withImages(parsed);
        }
        Optional<ConversationCompressor> compressor =
                served.compressor().filter(each -> each.mayCompress(overrides));
        Rendered rendered = rendered(conversation, parsed.output(), compressor.isPresent());
        if (compressor.isPresent()) {
            return new PendingPreparation(
                    parsed.parameters().delivery(),
                    disconnected -> compressed(parsed, rendered, compressor.get(), disconnected));
        }
        return PendingPreparation.done(pending(parsed, rendered.prompt(), Optional.empty()));
    }

    /**
     * Counts the tokens of a conversation with images; they are encoded afterwards. Those of other
     * hosts are fetched afterwards, too, and counted then.
     */
    private PendingPreparation withImages(ParsedRequest parsed) {
        ImagePrompts images = ImagePrompts.of(served, parsed.conversation().transcript().images());
        ChatPrompt text = text(parsed.conversation(), images, parsed.output(), false);
        if (!images.areRemote()) {
            images.requireFits(text, parsed.output());
        }
        return new PendingPreparation(
                parsed.parameters().delivery(),
                disconnected -> {
                    ImagePrompts fetched = images;
                    if (images.areRemote()) {
                        fetched = images.fetched(disconnected);
                        fetched.requireFits(text, parsed.output());
                    }
                    return pending(
                            parsed,
                            text.tokens(),
                            fetched.encoded(text, disconnected),
                            Optional.empty());
                });
    }

    /**
     * Returns the prompt of such a body, without compression.
     *
     * @throws ApiException if the body is invalid, or its prompt exceeds the limit for counting
     */
    public PendingPrompt prompt(ApiDialect dialect, ObjectNode body) {
        ConversationRequest conversation = dialect.read(new RequestFields(body), served);
        requireTools(conversation);
        if (conversation.transcript().images().isEmpty()) {
            return new PendingPrompt.Ready(rendered(conversation, 1, true).prompt());
        }
        ImagePrompts images = ImagePrompts.of(served, conversation.transcript().images());
        ChatPrompt text = text(conversation, images, 1, true);
        return images.areRemote()
                ? new PendingPrompt.Remote(
                        disconnected -> images.fetched(disconnected).measured(text))
                : new PendingPrompt.Ready(images.measured(text));
    }

    /**
     * Renders a conversation with placeholders of its images. If the template has none in results
     * of tools, a user's message behind them has the images.
     */
    private ChatPrompt text(
            ConversationRequest conversation,
            ImagePrompts images,
            long output,
            boolean compressible) {
        ChatPrompt text = rendered(conversation, output, compressible).prompt();
        if (images.havePlacesIn(text)) {
            return text;
        }
        Transcript moved = conversation.transcript().withImagesBehindResults();
        return moved.equals(conversation.transcript())
                ? text
                : rendered(conversation.with(moved), output, compressible).prompt();
    }

    private void requireTools(ConversationRequest conversation) {
        if (!conversation.tools().isEmpty()) {
            toolSupport.require();
        }
    }

    /** Compresses the conversation if required, and renders it again. */
    private PreparedRequest compressed(
            ParsedRequest parsed,
            Rendered rendered,
            ConversationCompressor compressor,
            BooleanSupplier disconnected) {
        int tokens = rendered.prompt().tokens().length;
        Optional<CompressedConversation> shorter =
                compress(parsed, rendered, compressor, disconnected);
        if (shorter.isEmpty()) {
            return pending(parsed, rendered.prompt(), Optional.empty());
        }
        ChatPrompt prompt =
                served.promptLimit()
                        .apply(
                                parsed.output(),
                                limit -> rendered.render(shorter.get().messages(), limit));
        return pending(
                parsed, prompt, Optional.of(shorter.get().report(tokens, prompt.tokens().length)));
    }

    private Optional<CompressedConversation> compress(
            ParsedRequest parsed,
            Rendered rendered,
            ConversationCompressor compressor,
            BooleanSupplier disconnected) {
        int tokens = rendered.prompt().tokens().length;
        try {
            return compressor.compress(
                    new ConversationCompressor.Conversation(
                            rendered.messages(),
                            messages -> rendered.renderer().text(rendered.with(messages)),
                            messages -> rendered.tokens(messages)),
                    parsed.conversation().promptOptions().compression(),
                    disconnected);
        } catch (VarveException e) {
            if (!fits(tokens, parsed)) {
                throw e;
            }
            failures.run();
            LOG.log(
                    System.Logger.Level.WARNING,
                    "the server computes a prompt of "
                            + tokens
                            + " tokens uncompressed: "
                            + e.getMessage());
            return Optional.empty();
        }
    }

    /** Returns whether an uncompressed prompt fits the context. */
    private boolean fits(int tokens, ParsedRequest parsed) {
        return tokens + parsed.output() <= served.engine().status().load().contextTokens();
    }

    private PreparedRequest pending(
            ParsedRequest parsed, ChatPrompt prompt, Optional<CompressionReport> compression) {
        return pending(parsed, prompt.tokens(), prompt, compression);
    }

    /**
     * Prepares the requests to the engine.
     *
     * @param text tokens of the prompt without images
     */
    private PreparedRequest pending(
            ParsedRequest parsed,
            int[] text,
            ChatPrompt prompt,
            Optional<CompressionReport> compression) {
        GenerationParameters parameters = parsed.parameters();
        RequestTools tools = parsed.conversation().tools();
        ConversationRequest.CacheAndCompressionOptions wishes =
                parsed.conversation().promptOptions();
        int maxOutput = parameters.maxOutput(prompt, Integer.MAX_VALUE, served);
        ResponseOptions options =
                new ResponseOptions(
                        tools.declarations(),
                        parameters.end().stops(),
                        parsed.conversation().reasoningBudget(maxOutput),
                        tools.forced(),
                        parsed.form());
        List<PreparedRequest.Choice> choices = new ArrayList<>();
        for (int choice = 0; choice < parameters.choices(); choice++) {
            ResponseState session = served.textProcessing().responseSyntax().open(text, options);
            choices.add(
                    new PreparedRequest.Choice(
                            parameters.request(
                                    prompt, choice, maxOutput, session.constraint(), served),
                            tools.single()
                                    ? StoppingResponseParser.ofFirstCall(session.text())
                                    : StoppingResponseParser.of(session.text())));
        }
        return new PreparedRequest(
                parameters.delivery(),
                choices,
                parsed.dialect()
                        .format(
                                parsed.conversation(),
                                new PromptFacts(
                                        prompt.tokens().length,
                                        compression,
                                        served.textProcessing().tokenizer())),
                compression
                        .map(report -> wishes.cache().ofCompressed(report.fingerprint().hex()))
                        .orElse(wishes.cache()),
                compression,
                end -> recordAcceptance(wishes.compression(), end.speculation()));
    }

    private void recordAcceptance(
            CompressionOverrides overrides, GenerationEnd.Speculation drafts) {
        served.compressor()
                .ifPresent(each -> each.finished(overrides, drafts.drafted(), drafts.accepted()));
    }

    /**
     * Renders the messages.
     *
     * @param output output tokens for which the context must have room
     * @param compressible whether the prompt may exceed the context before compression
     */
    private Rendered rendered(ConversationRequest conversation, long output, boolean compressible) {
        ChatRenderer renderer =
                served.textProcessing()
                        .chat()
                        .orElseThrow(
                                () ->
                                        ApiException.invalid(
                                                "messages",
                                                "the model has no chat template; use"
                                                    + " /v1/completions, or start the server with "
                                                        + Setting.CHAT_TEMPLATE));
        PromptLimit limits = served.promptLimit();
        return compressible
                ? limits.applyBeforeCompression(
                        output, limit -> rendered(renderer, conversation, limit))
                : limits.apply(output, limit -> rendered(renderer, conversation, limit));
    }

    private static Rendered rendered(
            ChatRenderer renderer, ConversationRequest conversation, TokenLimit limit) {
        Map<String, Object> variables = new LinkedHashMap<>(conversation.variables());
        RequestTools tools = conversation.tools();
        // Templates test whether the variable is set.
        variables.put("tools", tools.isEmpty() ? null : tools.forTemplate());
        conversation
                .reasoning()
                .enabled()
                .ifPresent(enabled -> variables.put(ReasoningParameters.SWITCH, enabled));
        conversation
                .reasoning()
                .effort()
                .ifPresent(
                        effort ->
                                variables.putIfAbsent(
                                        ReasoningParameters.EFFORT, effort.forTemplate()));
        Transcript transcript = conversation.transcript();
        return switch (conversation.promptMode()) {
            case RESPONSE -> render(renderer, transcript, variables, "", limit);
            case NONE -> {
                variables.put("add_generation_prompt", false);
                yield render(renderer, transcript, variables, "", limit);
            }
            case CONTINUE -> {
                // The text so far is content, so the reasoning has ended.
                variables.put(ReasoningParameters.SWITCH, false);
                String assistantPrefix = transcript.assistantPrefix().orElseThrow();
                yield render(renderer, transcript.withoutLast(), variables, assistantPrefix, limit);
            }
        };
    }

    /**
     * Renders with arguments that are strings; if the template fails on them, renders with empty
     * objects instead.
     */
    private static Rendered render(
            ChatRenderer renderer,
            Transcript transcript,
            Map<String, Object> variables,
            String assistantPrefix,
            TokenLimit limit) {
        try {
            return renderInOrder(renderer, transcript, variables, assistantPrefix, limit);
        } catch (TemplateException e) {
            if (!transcript.hasTextArguments()) {
                throw e;
            }
            return renderInOrder(
                    renderer, transcript.withoutTextArguments(), variables, assistantPrefix, limit);
        }
    }

    /**
     * Renders system messages in their positions; if the template refuses that, renders them as one
     * first message.
     */
    private static Rendered renderInOrder(
            ChatRenderer renderer,
            Transcript transcript,
            Map<String, Object> variables,
            String assistantPrefix,
            TokenLimit limit) {
        try {
            return render(renderer, transcript.messages(), variables, assistantPrefix, limit);
        } catch (TemplateException e) {
            if (!e.raisedByTemplate() || !transcript.hasLateSystem()) {
                throw e;
            }
            return render(
                    renderer,
                    transcript.systemFirst().messages(),
                    variables,
                    assistantPrefix,
                    limit);
        }
    }

    private static Rendered render(
            ChatRenderer renderer,
            List<Map<String, Object>> messages,
            Map<String, Object> variables,
            String assistantPrefix,
            TokenLimit limit) {
        variables.put("messages", messages);
        return new Rendered(
                renderer.render(variables, assistantPrefix, limit),
                messages,
                renderer,
                variables,
                assistantPrefix);
    }

    /** Compiles the response format; may take long. */
    private ResponseFormat compiled(ConversationRequest conversation) {
        RequestTools tools = conversation.tools();
        ResponseFormatFields form = conversation.responseFormat();
        return form.compile(
                () ->
                        served.textProcessing()
                                .responseSyntax()
                                .form(
                                        tools.declarations(),
                                        tools.forced(),
                                        form.source(),
                                        served.textProcessing().grammars()));
    }
}
