package dev.varve.platform.cli;

import dev.varve.platform.chat.ResponseOptions;
import dev.varve.platform.chat.ResponseSyntax;
import dev.varve.platform.chat.UnmarkedCallPolicy;
import dev.varve.platform.engine.GenerationEnd;
import dev.varve.platform.engine.GenerationEvent;
import dev.varve.platform.engine.GenerationHandle;
import dev.varve.platform.engine.GenerationRequest;
import dev.varve.platform.engine.TokenConstraint;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.log.ControlCharacters;
import dev.varve.platform.paging.PagingCounts;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.sampling.FileSampling;
import dev.varve.platform.sampling.SamplingOptions;
import dev.varve.platform.sampling.SamplingValues;

import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import tools.jackson.databind.node.ObjectNode;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/** Continues one prompt. */
@Command(
        name = "generate",
        addMethodSubcommands = false,
        description = {
            "Continues a text, or answers a message, and prints the response.",
            "A prompt is used unchanged; control tokens in it are recognised. A message is rendered"
                    + " with the model's chat template.",
            "Without any of them, on a terminal, it starts a chat: varve chat."
        },
        customSynopsis =
                "varve generate [MODEL] (--chat TEXT | --prompt TEXT | --tokens IDS) [OPTIONS]",
        footer = {
            "  varve generate --chat 'What is 7 + 5?'                    with a demo model",
            "  varve generate --model model.gguf --prompt 'Once upon a time' -n 100",
            "  varve generate --model model.gguf --tokens 1,2,3 --temperature 0 --json",
            "  varve generate --model model.gguf --chat 'Who wrote Emma?' \\",
            "       --json-schema author.json",
            "  varve generate --model model.gguf --prompt 'Once' \\",
            "       --target-devices cuda:0,cpu:0 --target-layer-split auto"
        })
final class GenerateCommand extends CliCommand {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    @Mixin private ModelLoadArguments model;

    @Mixin private ModelParameter parameter;

    @ArgGroup(multiplicity = "0..1")
    private PromptArguments prompt;

    @Option(
            names = "--image",
            paramLabel = "FILE",
            description = "Image before the message of --chat, for --mmproj. Repeatable.",
            order = 4)
    private List<Path> images = List.of();

    @Option(
            names = {"-n", "--max-tokens"},
            paramLabel = "N",
            defaultValue = "256",
            description = "Maximum tokens to generate.",
            order = 4)
    private int maxTokens;

    @Option(
            names = "--ignore-eos",
            description = "Continue after the model ends its turn.",
            order = 5)
    private boolean ignoreEos;

    @Option(
            names = "--json",
            description =
                    "Print one JSON object at the end: prompt_tokens, tokens, text, finish_reason,"
                            + " timings.",
            order = 6)
    private boolean json;

    @Mixin private StructuredOutputArguments form;

    @Mixin private SamplingArguments sampling;

    @Mixin private PoolArguments pools;

    private Optional<CompressionSettings> reader = Optional.empty();

    @Override
    boolean endsInOrder() {
        return true;
    }

    private Optional<RequestedPaging> pool() {
        PoolArguments.Choice choice =
                pools.choose(environment(), model.model().choose(environment()).isDemo());
        reader = choice.reader();
        return choice.pool();
    }

    @Override
    Optional<CompressionSettings> compression() {
        return reader;
    }

    @Override
    void checkArguments() {
        model.model().add(parameter);
        boolean chats = environment().isInteractive() && !json && !form.isGiven();
        if (!images.isEmpty() && (prompt == null || !prompt.isChat())) {
            throw new UsageException("--image: expected --chat with a message about it");
        }
        if (prompt == null && !chats) {
            throw new UsageException(
                    "--chat, --prompt or --tokens: expected one of them, found none; on a terminal"
                            + " varve generate without them starts a chat");
        }
    }

    @Override
    int run() throws InterruptedException {
        if (prompt == null) {
            return chat();
        }
        form.check(ignoreEos);
        SamplingValues flags = sampling.values();
        ModelSettings settings = model.settings().withPool(pool());
        try (HostedModel runtime = open(model, settings)) {
            GenerationRequest.Prompt whole = prompt.prompt(runtime, images);
            GenerationRequest request =
                    new GenerationRequest(
                            whole,
                            new GenerationRequest.Ending(
                                    maxTokens,
                                    ignoreEos ? Set.of() : runtime.tokenizer().endTokens()),
                            new GenerationRequest.Choice(
                                    sampling(runtime, flags),
                                    OptionalInt.empty(),
                                    constraint(runtime, known(runtime, whole))));
            generate(runtime, request);
        }
        // Not closed: it may take longer than this command.
        StartCache.createIfMissing(environment());
        return 0;
    }

    /** Runs {@code varve chat} with the same arguments, all of which it accepts. */
    private int chat() {
        List<String> arguments = new ArrayList<>(commandLine().getParseResult().originalArgs());
        arguments.set(0, "chat");
        return VarveCommand.execute(environment(), out(), err(), arguments.toArray(String[]::new));
    }

    private SamplingOptions sampling(HostedModel runtime, SamplingValues flags) {
        return SamplingOptions.of(
                flags.over(FileSampling.read(runtime.file().metadata(), this::printMessage)),
                runtime.tokenizer());
    }

    private TokenConstraint constraint(HostedModel runtime, int[] promptTokens) {
        if (!form.isGiven()) {
            return TokenConstraint.none();
        }
        // A plain continuation has no reasoning.
        ResponseSyntax dialect =
                prompt.isChat()
                        ? ResponseSyntax.of(
                                runtime.adapter().chatDialect(),
                                Optional.of(PromptArguments.renderer(runtime).dialect()),
                                runtime.tokenizer(),
                                UnmarkedCallPolicy.AUTO)
                        : ResponseSyntax.plain(runtime.tokenizer());
        ResponseOptions options =
                ResponseOptions.stoppingAt(List.of()).of(form.form(dialect, runtime.tokenizer()));
        return dialect.open(promptTokens, options).constraint();
    }

    /** Returns the tokens of a prompt, with the vocabulary's placeholder for those of images. */
    private static int[] known(HostedModel runtime, GenerationRequest.Prompt prompt) {
        return runtime.images()
                .map(
                        encoder ->
                                new LocalChatImages(encoder, runtime.tokenizer())
                                        .known(prompt.tokens()))
                .orElseGet(prompt::tokens);
    }

    private void generate(HostedModel runtime, GenerationRequest request)
            throws InterruptedException {
        BlockingQueue<GenerationEvent<Integer>> events = new LinkedBlockingQueue<>();
        GeneratedText text = new GeneratedText(runtime.tokenizer());
        GenerationHandle generation =
                runtime.engine().submit(request, GenerationEvent.into(events));
        try (ShutdownHook guard = ShutdownHook.prepare(generation::cancel, STOP_LIMIT)) {
            guard.arm();
            GenerationEnd end = show(events, text);
            if (json) {
                out().println(CliJson.write(describe(runtime, request, text, end)));
            } else {
                showSpeed(runtime, end);
            }
        } finally {
            out().flush();
        }
    }

    /** Prints events until the generation ends. */
    private GenerationEnd show(BlockingQueue<GenerationEvent<Integer>> events, GeneratedText text)
            throws InterruptedException {
        try (ProgressBar bar = ProgressBar.of(err(), environment(), "prefill")) {
            while (true) {
                switch (events.take()) {
                    case GenerationEvent.Prefill<Integer>(int done, int total) ->
                            bar.show(done, total);
                    case GenerationEvent.Output<Integer>(Integer id) -> {
                        bar.wipe();
                        show(text.push(id));
                    }
                    case GenerationEvent.End<Integer>(GenerationEnd end) -> {
                        show(text.finish());
                        endLine(text);
                        return end;
                    }
                    case GenerationEvent.Failure<Integer>(var error) -> {
                        endLine(text);
                        throw error;
                    }
                }
            }
        }
    }

    private void show(String piece) {
        if (!json && !piece.isEmpty()) {
            // A pipe or a file gets the text unchanged.
            boolean isTerminal = environment().terminals().contains(Environment.Stream.OUT);
            out().print(isTerminal ? ControlCharacters.remove(piece) : piece);
            out().flush();
        }
    }

    private void endLine(GeneratedText text) {
        if (!json && !text.isEmpty()) {
            out().println();
            out().flush();
        }
    }

    private void showSpeed(HostedModel runtime, GenerationEnd end) {
        if (environment().terminals().contains(Environment.Stream.ERR)) {
            err().println(
                            String.format(
                                    Locale.ROOT,
                                    "[loaded in %.1f s; prefill %d tokens, %.1f tokens/s; decode %d"
                                            + " tokens, %.1f tokens/s]",
                                    runtime.loadMillis() / 1000,
                                    end.tokens().prompt(),
                                    end.prefillTokensPerSecond(),
                                    end.tokens().generated(),
                                    end.decodeTokensPerSecond()));
        }
    }

    private static ObjectNode describe(
            HostedModel runtime, GenerationRequest request, GeneratedText text, GenerationEnd end) {
        ObjectNode result = CliJson.object();
        result.set("prompt_tokens", CliJson.array(known(runtime, request.prompt())));
        result.set("tokens", CliJson.array(text.tokens()));
        result.put("text", text.text())
                .put(
                        "finish_reason",
                        switch (end.reason()) {
                            case END_TOKEN, STOPPED -> "stop";
                            case LENGTH -> "length";
                        });
        GenerationEnd.Speculation speculation = end.speculation();
        ObjectNode timings = result.putObject("timings");
        timings.put("load_ms", runtime.loadMillis())
                .put("prefill_ms", end.times().prefillMillis())
                .put("prefill_tokens_per_second", end.prefillTokensPerSecond())
                .put("decode_ms", end.times().decodeMillis())
                .put("decode_tokens_per_second", end.decodeTokensPerSecond())
                .put("draft_tokens", speculation.drafted())
                .put("accepted_tokens", speculation.accepted())
                .put("verify_steps", speculation.verifySteps())
                .put("acceptance_length", speculation.acceptanceLength());
        end.paging().ifPresent(paging -> describe(paging, timings.putObject("kvflash")));
        return result;
    }

    private static void describe(GenerationEnd.Paging paging, ObjectNode kvflash) {
        PagingCounts counts = paging.counts();
        kvflash.put("policy", paging.policy().word())
                .put("pages_out", counts.pagesOut())
                .put("pages_in", counts.pagesIn())
                .put("moved_bytes", counts.movedBytes())
                .put("reselects", counts.reselects())
                .put("recalls", counts.recalls())
                .put("recall_hit_rate", counts.recallHitRate())
                .put("resident_pages", paging.residentPages())
                .put("host_pages", paging.hostPages());
    }
}
