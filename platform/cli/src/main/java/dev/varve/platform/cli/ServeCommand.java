package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.chat.ChatRenderer;
import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.host.ClusterCacheSettings;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.host.HostedModel;
import dev.varve.platform.host.ProxyPrefillDrafter;
import dev.varve.platform.host.StoreSettings;
import dev.varve.platform.http.HttpOptions;
import dev.varve.platform.http.HttpServer;
import dev.varve.platform.http.MonitoringOptions;
import dev.varve.platform.http.model.ServedModel;
import dev.varve.platform.http.serving.ModelManager;
import dev.varve.platform.http.serving.ModelNameResolver;
import dev.varve.platform.http.trace.Tracing;
import dev.varve.platform.http.upstream.UpstreamServer;
import dev.varve.platform.paging.RequestedPaging;
import dev.varve.platform.runtime.HostCacheLimit;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.tokenizer.Tokenizer;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Serves a model over HTTP until the process is asked to stop. */
@Command(
        name = "serve",
        addMethodSubcommands = false,
        description = {
            "Serves models over an OpenAI-compatible HTTP API.",
            "The server checks the model, its chat template and the memory, then listens, and"
                + " responds with 503 until the weights are loaded. After SIGTERM or SIGINT running"
                + " requests have at most 30 seconds to end; a second signal ends them at once.",
            "--model may be repeated, NAME=FILE sets the name of a model in the API, and --models"
                + " serves a folder. A request names its model; the first one is the default."
                + " --draft, --lora and --chat-template-file apply to the first model, all other"
                + " flags to every model; see docs/models-served.md.",
            "Models for embeddings and rerankers are served too, beside others or alone; see"
                    + " docs/embeddings.md.",
            "Several devices can share a model: in this process, in processes that the server"
                    + " starts, and on other hosts. varve plan shows the expected memory and speed."
        },
        customSynopsis = "varve serve [--model [NAME=]FILE]... [--models FOLDER] [OPTIONS]",
        footer = {
            "  varve serve                                         serve a demo model",
            "  varve serve --model model.gguf",
            "  varve serve --model model.gguf --port 0 --max-ctx 32768 --cache-type-k q8_0",
            "  varve serve --model small=a.gguf --model large=b.gguf --model-ttl 15m",
            "  VARVE_API_KEY=secret varve serve --model model.gguf --host 0.0.0.0",
            "  varve serve --model model.gguf --target-devices cuda:0,cpu:0 \\",
            "       --target-layer-split auto",
            "  varve serve --model model.gguf --target-devices cuda:0,vulkan:1@process",
            "  varve serve --model model.gguf --otlp-endpoint http://localhost:4318",
            "  varve serve --prefill-upstream-base http://host:8000/v1 \\",
            "       --prefill-compression auto --prefill-drafter small.gguf",
            "  curl http://127.0.0.1:8080/v1/chat/completions \\",
            "       -H 'Content-Type: application/json' \\",
            "       -d '{\"messages\": [{\"role\": \"user\", \"content\": \"Hello\"}]}'"
        })
final class ServeCommand extends CliCommand {
    @Mixin private ModelLoadArguments model;

    @Mixin private MultiModelArguments models;

    @Mixin private ServeArguments server;

    @Mixin private MonitoringArguments monitoring;

    @Mixin private ModelSampling sampling;

    @Mixin private ReplicaOption replicas;

    @Mixin private PagingArguments paging;

    @Mixin private EmbeddingArguments embeddings;

    @Mixin private CompressionArguments compressed;

    @Mixin private UpstreamArguments upstream;

    @Mixin private LogArguments log;

    private Optional<ChatRenderer> chat = Optional.empty();
    private Optional<StoreSettings> store = Optional.empty();

    private ClusterCacheSettings sharing = ClusterCacheSettings.NONE;
    private Optional<CompressionSettings> compression = Optional.empty();
    private Runnable listen = () -> {};

    @Override
    boolean acceptsSeveralModels() {
        return true;
    }

    @Override
    Optional<LogArguments> log() {
        return Optional.of(log);
    }

    @Override
    boolean endsInOrder() {
        return true;
    }

    @Override
    int run() throws InterruptedException {
        Optional<UpstreamServer> other = upstream.target(environment());
        if (other.isPresent()) {
            requireNoModel();
        }
        try (PeriodicGarbageCollection _ = PeriodicGarbageCollection.start();
                Tracing tracing =
                        monitoring.tracing(() -> model.plugins(environment()).catalog())) {
            MonitoringOptions watched = new MonitoringOptions(monitoring.vllmNames(), tracing);
            return other.isPresent() ? proxy(other.get(), watched) : serve(watched);
        }
    }

    private void requireNoModel() {
        if (model.model().isNamed()) {
            throw new UsageException(
                    UpstreamArguments.BASE + " and --model: expected only one of them, found both");
        }
        ProxyFlags.requireNoOthers(parsed());
    }

    /** Serves without a model: an upstream server generates. */
    private int proxy(UpstreamServer target, MonitoringOptions watched)
            throws InterruptedException {
        ProxyServing serving =
                ProxyServing.of(
                        target,
                        compressed.settings(environment(), false, Optional.empty()),
                        server.httpOptions(environment()).withMonitoring(watched));
        GracefulShutdown stop = new GracefulShutdown();
        try (ShutdownHook guard = stop.guard()) {
            try (ProxyPrefillDrafter drafter =
                    model.openDrafter(serving.compression(), environment())) {
                guard.arm();
                serving.run(drafter, stop, this::printMessage, this::print);
            }
            printMessage("stopped");
        }
        return 0;
    }

    private void print(String line) {
        out().println(line);
        out().flush();
    }

    private int serve(MonitoringOptions watched) throws InterruptedException {
        // Read before slow work, since a flag may be wrong.
        ReasoningDefaults reasoningDefaults = server.reasoningDefaults();
        ModelSampling.Operator samplingValues = sampling.values();
        HostCacheLimit hostCache = server.hostCache();
        List<NamedModel> named = named();
        boolean isDemo = named.stream().findFirst().filter(NamedModel::isDemo).isPresent();
        Optional<String> drafter = paging.drafter(compressed.drafter(), environment(), isDemo);
        Optional<RequestedPaging> pool = paging.request(environment(), drafter.isPresent());
        store = server.store();
        sharing = server.sharing(environment());
        compression =
                compressed.settings(
                        environment(), isDemo, PagingArguments.scoringDrafter(pool, drafter));
        requireSpeculation(model.mayDraft(isDemo));
        HttpOptions options = server.httpOptions(environment()).withMonitoring(watched);
        ModelSettings settings =
                replicas.in(
                        model.settings(server.parallel(), server.kvTokens())
                                .with(server.waiting())
                                .with(hostCache)
                                .withPool(pool));
        ServedModelFactory maker =
                new ServedModelFactory(
                        reasoningDefaults,
                        model.exactRows(),
                        server.callRecovery(),
                        samplingValues,
                        server.outputLimit(),
                        server.imageFetcher());
        if (named.size() == 1 && !models.areLoadedOnDemand() && !encodes(named.getFirst())) {
            return serveOne(named.getFirst(), settings, maker, options);
        }
        if (sharing.handOff().isPresent()) {
            throw new UsageException(
                    "--prefill-peer and --prefill-listen: expected one model that is loaded at the"
                            + " start, found several");
        }
        if (sharing.events().isPresent()) {
            throw new UsageException(
                    "--kv-events: expected one model that is loaded at the start, found several");
        }
        named.forEach(each -> each.choice().notes("varve serve").forEach(this::printMessage));
        return serveSeveral(
                new MultiModelServing(
                        named,
                        new MultiModelServing.Sizes(
                                settings,
                                store,
                                sharing,
                                compression,
                                embeddings.settings(),
                                maker),
                        new MultiModelServing.Flags(model, server, models, environment())),
                options);
    }

    /**
     * Whether a model computes vectors or scores. A file that cannot be read is reported when it is
     * opened, after the flags were checked.
     */
    private boolean encodes(NamedModel named) {
        if (embeddings.areRequested()) {
            return true;
        }
        try {
            return ModelHeader.read(named.choice().file())
                    .isEncoder(() -> model.plugins(environment()).catalog());
        } catch (VarveException _) {
            return false;
        }
    }

    /** Models to load at the start; the demo model if there is no model at all. */
    private List<NamedModel> named() {
        return model.model().isNamed() || !models.folders().isEmpty()
                ? model.model().all(environment())
                : List.of(new NamedModel(Optional.empty(), model.model().choose(environment())));
    }

    /**
     * Serves models that are loaded and unloaded at run time; all are checked before the first one
     * is loaded.
     */
    private int serveSeveral(MultiModelServing several, HttpOptions options)
            throws InterruptedException {
        GracefulShutdown stop = new GracefulShutdown();
        int status;
        try (ShutdownHook guard = stop.guard()) {
            try (HttpFrontend entrance = new HttpFrontend(options)) {
                several.check();
                try (ModelManager all = several.open()) {
                    String loading = several.loading();
                    printMessage(
                            "listening on "
                                    + entrance.open()
                                    + (loading.isEmpty() ? "" : "; loading " + loading));
                    HttpServer http = entrance.server();
                    several.load(all, http);
                    guard.arm();
                    print("Serving " + MultiModelServing.names(all) + " on " + http.uri());
                    status = serve(http, all.broken(), stop);
                }
            }
            printMessage("stopped");
        }
        return status;
    }

    private int serveOne(
            NamedModel named, ModelSettings settings, ServedModelFactory maker, HttpOptions options)
            throws InterruptedException {
        ModelChoice choice = named.choice();
        String id = server.modelName(named);
        maker.sampling().requireKnown(List.of(id));
        ModelNameResolver names = models.names(List.of(id)).with(named.meanings(id));
        sharing = sharing.of(id);
        GracefulShutdown stop = new GracefulShutdown();
        int status;
        try (ShutdownHook guard = stop.guard()) {
            try (HttpFrontend entrance = new HttpFrontend(options)) {
                // After all cheap checks and before the weights are loaded: a used port is reported
                // early, and /health can report that the model is loading.
                listen =
                        () ->
                                printMessage(
                                        "listening on "
                                                + entrance.open()
                                                + "; loading "
                                                + choice.file().getFileName());
                try (HostedModel runtime = open(model, settings)) {
                    int shards = runtime.placement().parts().size();
                    printMessage(
                            String.format(
                                    Locale.ROOT,
                                    "%s ready after %.1f s",
                                    ready(shards, runtime.replicaCount()),
                                    runtime.loadMillis() / 1000));
                    // Not earlier: a process that is asked to stop does not wait for a model that
                    // is still loading.
                    guard.arm();
                    HttpServer http = entrance.server();
                    ServedModel served = maker.served(runtime, id, chat);
                    try (ModelManager only = ModelManager.of(served, title(runtime, id), names)) {
                        http.ready(only);
                        out().println("Serving " + id + " on " + http.uri());
                        if (choice.isDemo() && served.textProcessing().chat().isPresent()) {
                            showChat(http.uri(), options);
                        }
                        out().flush();
                        status = serve(http, only.broken(), stop);
                    }
                }
            }
            printMessage("stopped");
        }
        return status;
    }

    private static String ready(int shards, int replicas) {
        if (replicas > 1) {
            return replicas
                    + " replicas"
                    + (shards == 1 ? "" : " of " + shards + " shards each")
                    + " are";
        }
        return shards == 1 ? "the model is" : shards + " shards are";
    }

    private static String title(HostedModel runtime, String id) {
        return runtime.file().metadata().findString("general.name").orElse(id);
    }

    /**
     * Rejects adaptive compression without speculative decoding, since it learns from accepted
     * draft tokens.
     */
    private void requireSpeculation(boolean there) {
        if (!there && compression.filter(each -> each.options().adaptive()).isPresent()) {
            throw new UsageException(
                    CompressionArguments.ADAPTIVE
                            + ": needs --draft; it adapts to the share of accepted draft tokens");
        }
    }

    @Override
    Optional<StoreSettings> store() {
        return store;
    }

    @Override
    List<Path> adapterFolders() {
        return server.adapterFolders();
    }

    @Override
    ClusterCacheSettings sharing() {
        return sharing;
    }

    @Override
    Optional<CompressionSettings> compression() {
        return compression;
    }

    @Override
    void loading() {
        listen.run();
    }

    @Override
    void checkModel(GgufFile file, Tokenizer tokenizer) {
        chat =
                ChatTemplateLoader.open(
                        server.chatTemplateFile(), file, tokenizer, this::printMessage);
    }

    /** Prints how to chat with the server, for new users. */
    private void showChat(URI server, HttpOptions options) {
        out().println(
                        switch (options.page()) {
                            case SHOWN ->
                                    "Chat with it in a browser at this address, or from a shell:";
                            case LEFT_OUT -> "Chat with it:";
                        });
        CurlExample.lines(server, options.access().needsKey())
                .forEach(line -> out().println("  " + line));
    }

    /** Serves until the process stops and returns the exit status. */
    private int serve(
            HttpServer http, CompletableFuture<VarveException> broken, GracefulShutdown stop)
            throws InterruptedException {
        try (StartCache _ = StartCache.createIfMissing(environment())) {
            if (BrokenServer.await(broken, stop.stopRequested())) {
                printMessage(
                        System.Logger.Level.ERROR,
                        FlagNames.FLAGS.render(broken.join().getMessage()) + "; the server exits");
                BrokenServer.awaitReaders(stop.stopRequested());
                return ExitStatus.FAILURE.code();
            }
        }
        stop.drain(http::drain, this::printMessage);
        return 0;
    }
}
