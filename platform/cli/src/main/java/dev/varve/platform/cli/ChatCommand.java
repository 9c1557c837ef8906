package dev.varve.platform.cli;

import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.cli.chat.ChatModel;
import dev.varve.platform.cli.chat.ChatOptions;
import dev.varve.platform.cli.chat.LineChat;
import dev.varve.platform.cli.chat.TerminalChat;
import dev.varve.platform.host.ClusterCacheSettings;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.StoreSettings;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SplitMemoryPlan;
import dev.varve.platform.sampling.FileSampling;
import dev.varve.platform.sampling.SamplingValues;
import dev.varve.platform.tokenizer.Tokenizer;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Chats with a model in the terminal. */
@Command(
        name = "chat",
        addMethodSubcommands = false,
        description = {
            "Chats with a model in the terminal. The model runs in this process, without a server,"
                    + " or in a running server with --url.",
            "Type a message and press Enter. A line that ends with a backslash continues in the"
                + " next one, three double quotes enclose several lines, and pasted lines stay"
                + " together. Ctrl-C stops a response and keeps its text; on an empty line Ctrl-D"
                + " or two Ctrl-C leave. A line that begins with / is a command: /help lists them."
                + " Commands set the system prompt and sampling values, generate a response again,"
                + " save and load conversations, and show tokens per second.",
            "If standard input is no terminal, each line is a message, and only responses are"
                    + " written to standard output; the exit status is 1 if one of them failed."
        },
        customSynopsis = "varve chat [MODEL] [OPTIONS]",
        footer = {
            "  varve chat                                      chat with a demo model",
            "  varve chat model.gguf                           chat with a model",
            "  varve chat hf:Qwen/Qwen3-0.6B-GGUF:Q8_0         download a model first",
            "  varve chat model.gguf --system 'Answer in one sentence.' --temp 0.7",
            "  varve chat model.gguf --target-devices cuda:0,cpu:0 --target-layer-split auto",
            "  varve chat model.gguf --draft draft.gguf        generate with a draft model",
            "  varve chat model.gguf --temp 0 < questions.txt  answer one message per line",
            "  varve chat --url http://127.0.0.1:8080          chat with a running server"
        })
final class ChatCommand extends CliCommand {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);
    private static final String HISTORY = "chat-history";

    @Mixin private ModelParameter parameter;

    @Mixin private RemoteChatArguments remote;

    @Mixin private ModelLoadArguments model;

    @Option(
            names = "--system",
            paramLabel = "TEXT",
            description = "System prompt of the conversation.",
            order = 2)
    private Optional<String> system = Optional.empty();

    @Option(
            names = {"-n", "--max-tokens"},
            paramLabel = "N",
            description =
                    "Maximum tokens of a response (default: up to the end of the context,"
                            + " --max-ctx).",
            order = 4)
    private Optional<Integer> maxTokens = Optional.empty();

    @Option(
            names = "--ignore-eos",
            description = "Continue after the model ends its turn.",
            order = 5)
    private boolean ignoreEos;

    @Option(
            names = "--no-history",
            description =
                    "Neither read nor write the file of earlier inputs. The file is"
                            + " varve/chat-history in XDG_STATE_HOME or ~/.local/state.",
            order = 5)
    private boolean noHistory;

    @Mixin private SamplingArguments sampling;

    @Mixin private ReasoningArguments reasoning;

    @Mixin private PoolArguments pools;

    @Mixin private HostCacheArguments hostCache;

    @Mixin private StoreArguments store;

    @Mixin private ChatTemplateOption template;

    private Optional<CompressionSettings> reader = Optional.empty();

    /** Lines about the progress of a start would be between the messages of the conversation. */
    ChatCommand() {
        super(LogLevel.WARNING);
    }

    private Optional<ChatRenderer> renderer = Optional.empty();
    private volatile boolean stopping;

    @Override
    boolean endsInOrder() {
        return true;
    }

    @Override
    void checkArguments() {
        remote.check(parsed());
        model.model().add(parameter);
        sampling.values();
        ModelLoadArguments.positive(maxTokens, "--max-tokens");
        reasoning.defaults();
        store.settings();
    }

    @Override
    Optional<CompressionSettings> compression() {
        return reader;
    }

    @Override
    Optional<StoreSettings> store() {
        return store.settings();
    }

    @Override
    ClusterCacheSettings sharing() {
        return store.sharing(environment());
    }

    @Override
    void checkModel(GgufFile file, Tokenizer tokenizer) {
        renderer = ChatTemplateLoader.open(template.file(), file, tokenizer, this::printMessage);
        if (renderer.isEmpty()) {
            throw new UsageException(
                    "--model: "
                            + file.path()
                            + " has no chat template; set one with --chat-template-file, or"
                            + " continue a text with varve generate --prompt");
        }
    }

    /** Prints the plan only if it says more than that one device holds the model. */
    @Override
    void showPlan(SplitMemoryPlan plan, List<String> reasons) {
        if (plan.parts().size() > 1) {
            super.showPlan(plan, reasons);
        }
    }

    @Override
    int run() {
        Thread thread = Thread.currentThread();
        Runnable stop =
                () -> {
                    stopping = true;
                    thread.interrupt();
                };
        try (ShutdownHook guard = ShutdownHook.prepare(stop, STOP_LIMIT)) {
            guard.arm();
            boolean success = remote.isGiven() ? chatWithServer() : chatWithModel();
            return success ? 0 : ExitStatus.FAILURE.code();
        } catch (InterruptedException e) {
            // The process is stopping, and its signal decides the exit status.
            return ExitStatus.FAILURE.code();
        }
    }

    private boolean chatWithModel() throws InterruptedException {
        ModelChoice choice = model.model().choose(environment());
        PoolArguments.Choice pool = pools.choose(environment(), choice.isDemo());
        reader = pool.reader();
        ModelSettings settings = model.settings().with(hostCache.limit()).withPool(pool.pool());
        try (HostedModel runtime = open(model, settings)) {
            boolean success = chat(chatModel(choice, runtime));
            // Not closed: it may take longer than the rest of this command.
            StartCache.createIfMissing(environment());
            return success;
        }
    }

    private boolean chatWithServer() throws InterruptedException {
        return chat(
                remote.open(
                        environment(),
                        sampling.values(),
                        reasoning.defaults(),
                        ModelLoadArguments.positive(maxTokens, "--max-tokens")));
    }

    private ChatModel chatModel(ModelChoice choice, HostedModel runtime) {
        SamplingValues values =
                sampling.values()
                        .over(FileSampling.read(runtime.file().metadata(), this::printMessage));
        ReasoningDefaults reasoningDefaults = reasoning.defaults();
        OptionalInt most = ModelLoadArguments.positive(maxTokens, "--max-tokens");
        return new LocalChatModel(
                choice.name(),
                runtime,
                renderer.orElseThrow(),
                new LocalChatModel.Settings(
                        values,
                        reasoningDefaults,
                        most,
                        ignoreEos ? Set.of() : runtime.tokenizer().endTokens()),
                () -> ProgressBar.of(err(), environment(), "prefill"));
    }

    private boolean chat(ChatModel chatModel) throws InterruptedException {
        ChatOptions options =
                new ChatOptions(
                        system.orElse(""),
                        environment().variable("NO_COLOR").isPresent()
                                ? ChatOptions.Style.NONE
                                : ChatOptions.Style.ALLOWED,
                        history(),
                        FlagNames.FLAGS::render);
        if (environment().isInteractive()) {
            TerminalChat.run(chatModel, options, () -> stopping);
            return true;
        }
        return LineChat.run(chatModel, options, System.in, out(), err());
    }

    private Optional<Path> history() {
        return noHistory
                ? Optional.empty()
                : environment().stateFolder().map(folder -> folder.resolve(HISTORY));
    }
}
