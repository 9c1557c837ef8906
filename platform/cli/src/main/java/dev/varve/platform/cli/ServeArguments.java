package dev.varve.platform.cli;

import dev.varve.platform.chat.ReasoningDefaults;
import dev.varve.platform.chat.UnmarkedCallPolicy;
import dev.varve.platform.engine.EngineOptions;
import dev.varve.platform.host.ClusterCacheSettings;
import dev.varve.platform.host.HandOffSettings;
import dev.varve.platform.host.StoreSettings;
import dev.varve.platform.http.HttpOptions;
import dev.varve.platform.http.access.ListenAddress;
import dev.varve.platform.http.fetch.ImageFetcher;
import dev.varve.platform.http.json.UnknownFieldPolicy;
import dev.varve.platform.http.model.OutputLimitPolicy;
import dev.varve.platform.http.page.WebUiMode;
import dev.varve.platform.http.resume.ResumePolicy;
import dev.varve.platform.intake.IngressLimits;
import dev.varve.platform.runtime.HostCacheLimit;
import dev.varve.platform.runtime.SequenceLimits;
import dev.varve.platform.runtime.WaitingLimits;
import dev.varve.platform.setting.ByteCount;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** Options of the server itself. */
final class ServeArguments {
    private static final int LONGEST_GAP = 60_000;

    @Option(
            names = "--host",
            defaultValue = "127.0.0.1",
            paramLabel = "ADDRESS",
            description = "Address to listen on.",
            order = 10)
    private String host;

    @Option(
            names = "--port",
            defaultValue = "8080",
            paramLabel = "PORT",
            description = "Port to listen on; 0 selects a free port, which the server prints.",
            order = 11)
    private int port;

    @Option(
            names = "--base-path",
            defaultValue = "",
            paramLabel = "PATH",
            description =
                    "Path before all routes and the page behind a proxy, such as /varve; the routes"
                            + " also work without it.",
            order = OptionSections.RARE + 3)
    private String basePath;

    @Mixin private AccessArguments access;

    @Mixin private TlsArguments tls;

    @Mixin private ImageUrlArguments imageUrls;

    @Mixin private HostCacheArguments hostCache;

    @Mixin private StoreArguments store;

    @Mixin private HandOffArguments handOff;

    @Option(
            names = "--max-connections-per-client",
            paramLabel = "N",
            description =
                    "Maximum connections from one address (default: --max-queue + 1024). A proxy in"
                            + " front of the server is one address.",
            order = OptionSections.RARE + 1)
    private Optional<Integer> maxConnectionsPerClient = Optional.empty();

    @Option(
            names = "--model-name",
            paramLabel = "NAME",
            description =
                    "Name of the model in the API (default: the file's without .gguf). For a server"
                            + " with one model.",
            order = 16)
    private Optional<String> modelName = Optional.empty();

    @Option(
            names = "--lora-dir",
            paramLabel = "FOLDER",
            description =
                    "Folder of LoRA adapters that POST /lora-adapters/add may load; may be"
                            + " repeated. Its subfolders are included. Without this flag, none can"
                            + " be added while the server runs.",
            order = 17)
    private List<Path> adapterFolders = List.of();

    @Mixin private ChatTemplateOption chatTemplate;

    @Option(
            names = "--recover-tool-calls",
            defaultValue = "auto",
            paramLabel = "auto|on|off",
            description =
                    "Whether to recognise tool calls without their opening delimiter. A line has to"
                            + " start like a call. auto: depends on the model's family.",
            order = OptionSections.RARE + 2)
    private UnmarkedCallPolicy callRecovery = UnmarkedCallPolicy.AUTO;

    @Option(
            names = "--parallel",
            defaultValue = "" + SequenceLimits.DEFAULT_PARALLEL,
            paramLabel = "N",
            description =
                    "Maximum requests that are decoded together; each needs space in the KV cache.",
            order = OptionSections.MEMORY)
    private int parallel;

    @Option(
            names = "--kv-tokens",
            paramLabel = "N",
            description =
                    "Tokens of the KV cache of all requests (default: --parallel full contexts)."
                            + " With --kvflash, as many pools. The memory limits the default.",
            order = OptionSections.MEMORY + 2)
    private Optional<Integer> kvTokens = Optional.empty();

    @Option(
            names = "--max-queue",
            defaultValue = "" + WaitingLimits.DEFAULT_QUEUE,
            paramLabel = "N",
            description =
                    "Maximum queued requests; the server refuses further ones with status 429.",
            order = 20)
    private int maxQueue;

    @Option(
            names = "--max-gap",
            defaultValue = "150",
            paramLabel = "MS",
            description =
                    "Longest gap between tokens of a stream, in milliseconds. While the server"
                        + " computes prompts of other requests, it computes smaller parts of them"
                        + " per step if necessary.",
            order = 21)
    private int maxGap;

    @Option(
            names = "--max-body",
            defaultValue = "32M",
            paramLabel = "BYTES",
            description = "Maximum size of a request body. K, M and G stand for KiB, MiB and GiB.",
            order = OptionSections.RARE + 1)
    private String maxBody;

    @Option(
            names = "--strict-fields",
            description =
                    "Refuse requests with unknown fields, to detect misspelt ones. Without this"
                            + " flag the server ignores such fields.",
            order = OptionSections.RARE + 2)
    private boolean strictFields;

    @Option(
            names = "--strict-max-tokens",
            description =
                    "Refuse requests whose max_tokens exceeds the context after the prompt. Without"
                        + " this flag max_tokens is an upper bound, and the response ends at the"
                        + " end of the context.",
            order = OptionSections.RARE + 3)
    private boolean strictMaxTokens;

    @Option(
            names = "--resumable-streams",
            description =
                    "Make every stream resumable (default: only on request). The server keeps the"
                        + " last events, for clients that lose their connection and reconnect, and"
                        + " the model continues without a client for one minute. Without this flag"
                        + " it does so for requests with the header x-varve-resumable: 1.",
            order = 24)
    private boolean resumableStreams;

    @Option(
            names = "--no-page",
            description =
                    "Do not serve the web page at the server's root: browsers get the same response"
                            + " as programs.",
            order = 25)
    private boolean noPage;

    @Option(
            names = "--shard-patience",
            paramLabel = "TIME",
            converter = DurationConverter.class,
            description =
                    "How long requests wait for a lost shard without progress, such as 90s. While"
                            + " the shard loads, they wait without this limit.",
            order = OptionSections.PROCESSES + 4)
    private Duration shardPatience = EngineOptions.DEFAULT_SHARD_PATIENCE;

    @Mixin private ReasoningArguments reasoning;

    /**
     * Returns the folders of adapters that may be added.
     *
     * @throws UsageException if one is no folder
     */
    List<Path> adapterFolders() {
        return FolderOption.check("--lora-dir", adapterFolders);
    }

    /**
     * Returns the options of the HTTP server.
     *
     * @throws dev.varve.api.VarveException of kind INVALID_REQUEST if the address is open to other
     *     machines without a key, or of another kind if the certificate cannot be used
     */
    HttpOptions httpOptions(Environment environment) {
        return new HttpOptions(
                        new ListenAddress(host, port, basePath.replaceFirst("/+$", "")),
                        access.access(environment),
                        limits())
                .withTls(tls.source())
                .withResume(resumableStreams ? ResumePolicy.ALWAYS : ResumePolicy.ON_REQUEST)
                .withPage(noPage ? WebUiMode.LEFT_OUT : WebUiMode.SHOWN)
                .withNames(FlagNames.FLAGS)
                .withFields(strictFields ? UnknownFieldPolicy.STRICT : UnknownFieldPolicy.LENIENT);
    }

    OutputLimitPolicy outputLimit() {
        return strictMaxTokens ? OutputLimitPolicy.MUST_FIT : OutputLimitPolicy.UPPER_BOUND;
    }

    int parallel() {
        return parallel;
    }

    OptionalInt kvTokens() {
        return ModelLoadArguments.positive(kvTokens, "--kv-tokens");
    }

    /** Settings of the disk store of cached prefixes. */
    Optional<StoreSettings> store() {
        return store.settings(handOff.isAskedFor());
    }

    /** Settings of the sharing of cached prefixes with other servers and routers. */
    ClusterCacheSettings sharing(Environment environment) {
        ClusterCacheSettings settings =
                store.sharing(environment).with(handOff.settings(store.sharesBackends()));
        if (settings.store().isPresent()
                && settings.handOff().flatMap(HandOffSettings::listener).isPresent()) {
            throw new UsageException(
                    "--shared-cache and --prefill-listen: expected only one of them");
        }
        return settings;
    }

    /** Limit of host memory for cached prefixes. */
    HostCacheLimit hostCache() {
        return hostCache.limit();
    }

    /** Reasoning defaults of requests. */
    ReasoningDefaults reasoningDefaults() {
        return reasoning.defaults();
    }

    /** Whether tool calls without their opening delimiter are parsed as calls. */
    UnmarkedCallPolicy callRecovery() {
        return callRecovery;
    }

    /**
     * Queue limit, waiting time for a lost shard, and longest time that a stream waits for its next
     * token during prefill.
     */
    WaitingLimits waiting() {
        if (maxGap < 1 || maxGap > LONGEST_GAP) {
            throw new UsageException(
                    "--max-gap: expected 1 to " + LONGEST_GAP + " milliseconds, found " + maxGap);
        }
        return new WaitingLimits(
                maxQueue,
                shardPatience,
                new EngineOptions.PrefillScheduling(Duration.ofMillis(maxGap), true));
    }

    private IngressLimits limits() {
        // Requests of a single client must reach the queue's limit before this one.
        int connections =
                maxConnectionsPerClient.orElse(
                        (int)
                                Math.min(
                                        Integer.MAX_VALUE,
                                        (long) IngressLimits.DEFAULT_CONNECTIONS + maxQueue));
        if (connections < 1) {
            throw new UsageException(
                    "--max-connections-per-client: expected 1 or more, found " + connections);
        }
        return IngressLimits.DEFAULT
                .withBodyBytes(maxBodyBytes())
                .withConnectionsPerClient(connections);
    }

    /**
     * Returns the fetcher of images that requests name by URL; empty if the server may not.
     *
     * @throws UsageException if a host is malformed
     */
    Optional<ImageFetcher> imageFetcher() {
        return imageUrls.fetcher();
    }

    private int maxBodyBytes() {
        long bytes = ByteCount.parse(maxBody).orElse(0);
        if (bytes < 1 || bytes > Integer.MAX_VALUE) {
            throw new UsageException(
                    "--max-body: expected 1 to 2147483647 bytes, such as 64M, found " + maxBody);
        }
        return (int) bytes;
    }

    /** Name of the single model in the API. */
    String modelName(NamedModel model) {
        return modelName.orElseGet(model::id);
    }

    /** Whether the name was given on the command line. */
    boolean namesModel() {
        return modelName.isPresent();
    }

    Optional<Path> chatTemplateFile() {
        return chatTemplate.file();
    }
}
