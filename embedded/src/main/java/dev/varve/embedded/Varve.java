package dev.varve.embedded;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.ModelTemplate;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.chat.UnmarkedCallPolicy;
import dev.varve.platform.engine.EngineStatus;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.sampling.FileSampling;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A language model inside this program.
 *
 * {@snippet :
 * try (Varve model = Varve.open(Path.of("model.gguf"))) {
 *     System.out.println(model.chat("Why is the sky blue?").text());
 * }
 * }
 *
 * <p>Any number of threads may use a model; responses of several threads are computed together.
 * {@link #close} frees weights, caches and devices. Close a model once, when no other thread uses
 * it any more.
 *
 * @since 0.1.0
 */
public final class Varve implements AutoCloseable {
    private static final String SUFFIX = ".gguf";

    private final HostedModel model;
    private final Optional<ChatPreparer> chats;
    private final ModelInfo info;
    private final AtomicLong callCount = new AtomicLong();

    private Varve(HostedModel model, Optional<ChatPreparer> chats, ModelInfo info) {
        this.model = model;
        this.chats = chats;
        this.info = info;
    }

    /**
     * Opens a model with the defaults of the server.
     *
     * @param file GGUF file, any part of a split one
     * @throws VarveException if the file, its family or a device cannot be used, or it does not fit
     *     the memory
     */
    public static Varve open(Path file) {
        return open(file, VarveOptions.DEFAULT);
    }

    /**
     * Opens a model.
     *
     * @param file GGUF file, any part of a split one
     * @throws VarveException if the file, its family or a device cannot be used, or it does not fit
     *     the memory
     * @throws IllegalArgumentException if an option is out of its range
     */
    public static Varve open(Path file, VarveOptions options) {
        return OptionNames.call(() -> load(file, options));
    }

    private static Varve load(Path file, VarveOptions options) {
        HostedModel model =
                HostedModel.open(
                        OptionSettings.of(file, options), new LoadMessages(options.messages()));
        try {
            return of(model, options);
        } catch (RuntimeException | Error e) {
            model.close();
            throw e;
        }
    }

    private static Varve of(HostedModel model, VarveOptions options) {
        int context = model.engine().status().load().contextTokens();
        Optional<ChatPreparer> chats =
                template(model.file(), options)
                        .map(template -> template.renderer(model.tokenizer(), options.messages()))
                        .map(renderer -> preparer(model, renderer, options, context));
        ModelInfo info =
                new ModelInfo(
                        name(model.file().path()),
                        model.file().architecture(),
                        context,
                        model.placement().devices().toString(),
                        chats.filter(ChatPreparer::hasTools).isPresent(),
                        Duration.ofMillis(Math.round(model.loadMillis())));
        return new Varve(model, chats, info);
    }

    private static Optional<ModelTemplate> template(GgufFile file, VarveOptions options) {
        return options.chatTemplate()
                .map(source -> new ModelTemplate(source, "chatTemplate", true))
                .or(() -> ModelTemplate.of(file));
    }

    private static ChatPreparer preparer(
            HostedModel model, ChatRenderer renderer, VarveOptions options, int context) {
        return new ChatPreparer(
                model.tokenizer(),
                renderer,
                ResponseSyntax.of(
                        model.adapter().chatDialect(),
                        Optional.of(renderer.dialect()),
                        model.tokenizer(),
                        UnmarkedCallPolicy.AUTO),
                new ChatPreparer.Defaults(
                        options.sampling()
                                .values()
                                .over(
                                        FileSampling.read(
                                                model.file().metadata(), options.messages())),
                        options.reasoning(),
                        context));
    }

    /** Returns the name of a model: that of its file, without the suffix. */
    static String name(Path file) {
        String name = file.getFileName().toString();
        return name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
    }

    /** Returns facts of the model. */
    public ModelInfo info() {
        return info;
    }

    /** Returns the current load. Never waits. */
    public ModelLoad load() {
        EngineStatus status = model.engine().status();
        return new ModelLoad(
                status.load().running(),
                status.load().waiting(),
                status.load().parallel(),
                status.counts().replays(),
                status.canCompute() && !model.engine().broken().isDone());
    }

    /**
     * Responds to one message, and waits for the response.
     *
     * @throws VarveException as for {@link #chat(ChatRequest)}
     */
    public ChatResponse chat(String message) {
        return chat(ChatRequest.of(message));
    }

    /**
     * Responds to a chat, and waits for the response.
     *
     * @throws VarveException of kind INVALID_REQUEST if the request cannot be carried out,
     *     CONTEXT_OVERFLOW if the chat exceeds the context, OVERLOADED if too many requests wait,
     *     CANCELLED if this thread is interrupted, of another kind if the engine fails
     */
    public ChatResponse chat(ChatRequest request) {
        return start(request, new ChatListener() {}).await();
    }

    /**
     * Responds to a chat with a record, and waits for it. The response always satisfies the
     * record's schema, unless it is cut off.
     *
     * @throws VarveException as for {@link #chat(ChatRequest)}; of kind INVALID_REQUEST if the
     *     response was cut off
     * @throws IllegalArgumentException if a component of the record has no schema
     */
    public <T extends Record> T chat(ChatRequest request, Class<T> type) {
        return chat(request.withSchema(type)).as(type);
    }

    /**
     * Starts a response and returns at once.
     *
     * @param listener receives the parts of the response
     * @throws VarveException as for {@link #chat(ChatRequest)}, if the request is refused
     */
    public RunningChat start(ChatRequest request, ChatListener listener) {
        PreparedChat prepared = chats().prepare(request);
        return RunningChat.start(
                model.engine().submit(prepared.request(), prepared.generation()),
                new ResponseCollector(prepared.generation(), listener, this::nextCallId));
    }

    private String nextCallId() {
        return "call_" + callCount.incrementAndGet();
    }

    /**
     * Continues a text with the most likely tokens, without the chat template, and waits for them.
     *
     * @param maxTokens most tokens to generate
     * @return the continuation, without the text itself
     * @throws VarveException as for {@link #chat(ChatRequest)}
     */
    public String complete(String text, int maxTokens) {
        return model.generate(text, maxTokens);
    }

    /** Returns the number of tokens of a text. */
    public int countTokens(String text) {
        return model.tokenizer().encode(text, false).length;
    }

    /**
     * Returns the number of tokens of a chat up to the start of the response, with the text of the
     * template.
     *
     * @throws VarveException of kind INVALID_REQUEST if the template rejects the chat,
     *     CONTEXT_OVERFLOW if it is much longer than the context
     */
    public int countTokens(List<Message> messages) {
        return chats().prompt(ChatRequest.of(messages)).tokens().length;
    }

    private ChatPreparer chats() {
        return chats.orElseThrow(
                () ->
                        new VarveException(
                                VarveException.Kind.INVALID_REQUEST,
                                info.name()
                                        + " has no chat template; set one in the options, or"
                                        + " continue a text with complete()"));
    }

    /** Ends running responses, and frees the model and its processes. */
    @Override
    public void close() {
        model.close();
    }
}
