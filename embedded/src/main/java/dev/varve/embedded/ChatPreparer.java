package dev.varve.embedded;

import dev.varve.api.VarveException;
import dev.varve.platform.chat.ChatGeneration;
import dev.varve.platform.chat.ChatPrompt;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.PromptLimit;
import dev.varve.platform.chat.ResponseFormat;
import dev.varve.platform.chat.ResponseOptions;
import dev.varve.platform.chat.ResponseState;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.chat.StoppingResponseParser;
import dev.varve.platform.chat.ToolCallRequirement;
import dev.varve.platform.chat.ToolDeclaration;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.grammar.GrammarCompiler;
import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.GrammarSource;
import dev.varve.platform.grammar.source.TextGrammarSource;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sampling.SamplingValues;
import dev.varve.platform.tokenizer.TokenLimit;
import dev.varve.platform.tokenizer.Tokenizer;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Converts chats to prompts and requests of the engine. Thread-safe. */
final class ChatPreparer {
    private static final String FORMAT_FIELD = "schema";

    /**
     * Defaults of requests.
     *
     * @param sampling values of options and file
     * @param contextTokens most tokens of prompt and response
     */
    record Defaults(SamplingValues sampling, Reasoning reasoning, int contextTokens) {}

    private final Tokenizer tokenizer;
    private final ChatRenderer renderer;
    private final ResponseSyntax syntax;
    private final Defaults defaults;
    private final GrammarCompiler grammars;
    private final boolean hasTools;

    ChatPreparer(
            Tokenizer tokenizer, ChatRenderer renderer, ResponseSyntax syntax, Defaults defaults) {
        this.tokenizer = tokenizer;
        this.renderer = renderer;
        this.syntax = syntax;
        this.defaults = defaults;
        grammars = new GrammarCompiler(tokenizer);
        hasTools = syntax.hasTools() && renderer.rendersTools();
    }

    boolean hasTools() {
        return hasTools;
    }

    /**
     * Prepares a request.
     *
     * @throws VarveException of kind INVALID_REQUEST if it cannot be carried out, CONTEXT_OVERFLOW
     *     if the chat exceeds the context
     */
    PreparedChat prepare(ChatRequest request) {
        if (!shownTools(request).isEmpty() && !hasTools) {
            throw invalid("tools: this model cannot call tools");
        }
        List<ToolDeclaration> tools =
                shownTools(request).stream().map(ToolJson::declaration).toList();
        ToolCallRequirement forced = forced(request, tools);
        ResponseFormat format = format(request, tools, forced);
        ChatPrompt prompt = prompt(request);
        int room = Math.max(1, defaults.contextTokens() - prompt.tokens().length);
        int most = Math.min(room, request.maxTokens().orElse(room));
        ResponseState state =
                syntax.open(
                        prompt.tokens(),
                        new ResponseOptions(
                                tools,
                                request.stops(),
                                reasoning(request).defaults().budget(most),
                                forced,
                                format));
        return new PreparedChat(
                request(request, prompt, most, state),
                new ChatGeneration(StoppingResponseParser.of(state.text())));
    }

    /** Returns the prompt, up to the start of the response. */
    ChatPrompt prompt(ChatRequest request) {
        return new PromptLimit(defaults.contextTokens()).apply(1, limit -> render(request, limit));
    }

    private ChatPrompt render(ChatRequest request, TokenLimit limit) {
        return renderer.render(
                TemplateVariables.of(
                        request.messages(), shownTools(request), reasoning(request).enabled()),
                limit);
    }

    private GenerationRequest request(
            ChatRequest request, ChatPrompt prompt, int most, ResponseState state) {
        return new GenerationRequest(
                GenerationRequest.Prompt.of(prompt.tokens(), prompt.boundaries()),
                new GenerationRequest.Ending(most, tokenizer.endTokens()),
                new GenerationRequest.Choice(
                        SamplingOptions.of(
                                request.sampling().values().over(defaults.sampling()), tokenizer),
                        OptionalInt.empty(),
                        state.constraint()));
    }

    private Reasoning reasoning(ChatRequest request) {
        return request.reasoning().orElse(defaults.reasoning());
    }

    private static List<Tool> shownTools(ChatRequest request) {
        return request.toolChoice() == ToolChoice.NONE ? List.of() : request.tools();
    }

    private static ToolCallRequirement forced(ChatRequest request, List<ToolDeclaration> tools) {
        if (request.toolChoice() != ToolChoice.REQUIRED) {
            return new ToolCallRequirement.None();
        }
        return tools.size() == 1
                ? new ToolCallRequirement.Named(tools.getFirst().name())
                : new ToolCallRequirement.Any();
    }

    private ResponseFormat format(
            ChatRequest request, List<ToolDeclaration> tools, ToolCallRequirement forced) {
        Optional<GrammarSource> source =
                request.schema()
                        .map(
                                schema ->
                                        new TextGrammarSource.Schema(
                                                ToolJson.parse(FORMAT_FIELD, schema)));
        try {
            return syntax.form(tools, forced, source, grammars);
        } catch (GrammarException e) {
            String place = e.path().startsWith("/tools") ? "" : FORMAT_FIELD + " at ";
            throw invalid(place + e.path() + ": " + e.getMessage());
        }
    }

    private static VarveException invalid(String message) {
        return new VarveException(VarveException.Kind.INVALID_REQUEST, message);
    }
}
