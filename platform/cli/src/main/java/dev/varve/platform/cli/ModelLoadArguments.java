package dev.varve.platform.cli;

import dev.varve.api.ggml.GgmlType;
import dev.varve.api.model.ModelOptions;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.host.DeviceSettings;
import dev.varve.platform.host.DraftSettings;
import dev.varve.platform.host.HostSettings;
import dev.varve.platform.host.ImageSettings;
import dev.varve.platform.host.LoraSettings;
import dev.varve.platform.host.PluginSettings;
import dev.varve.platform.host.ProxyPrefillDrafter;
import dev.varve.platform.host.ShardProcessSettings;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.remote.BoundaryType;
import dev.varve.platform.runtime.ComputeSettings;
import dev.varve.platform.runtime.ExpertUseFolder;
import dev.varve.platform.runtime.HostCacheLimit;
import dev.varve.platform.runtime.ModelSettings;
import dev.varve.platform.runtime.SequenceLimits;
import dev.varve.platform.runtime.WaitingLimits;
import dev.varve.platform.setting.ByteCount;
import dev.varve.platform.shard.BatchInvariance;
import dev.varve.platform.shard.CacheTypes;
import dev.varve.platform.shard.FlashAttention;
import dev.varve.platform.shard.Numerics;
import dev.varve.platform.shard.WeightLayout;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Options of every command that loads a model. */
final class ModelLoadArguments {
    private static final String EXPERT_CACHE = "--expert-cache";
    private static final String EXPERT_USE = "--expert-use-dir";

    /** Storage of weights. */
    enum Weights {
        /** Repacked for the device where that is faster; a private copy. */
        AUTO,
        /** Mapped from the file as they are; shared between processes. */
        MMAP,
        /** Experts are read from the file when they are needed; all else is in memory. */
        STREAM;

        WeightLayout layout() {
            return switch (this) {
                case AUTO -> WeightLayout.REPACKED;
                case MMAP -> WeightLayout.AS_IN_FILE;
                case STREAM -> WeightLayout.STREAMED;
            };
        }
    }

    /** Element type of a cache, by its name in GGUF. */
    static final class CacheType implements ITypeConverter<GgmlType>, Iterable<String> {
        /** Returns the names of the types, for completion. */
        @Override
        public Iterator<String> iterator() {
            return CacheTypes.TYPES.stream().map(GgmlType::ggufName).iterator();
        }

        @Override
        public GgmlType convert(String text) {
            return GgmlType.parse(text)
                    .filter(CacheTypes.TYPES::contains)
                    .orElseThrow(
                            () ->
                                    new TypeConversionException(
                                            "expected one of "
                                                    + CacheTypes.TYPES.stream()
                                                            .map(GgmlType::ggufName)
                                                            .collect(Collectors.joining(", "))
                                                    + ", found "
                                                    + text));
        }
    }

    @Mixin private ModelOption model;

    @Option(
            names = {"-t", "--threads"},
            paramLabel = "N",
            description =
                    "Threads for decode on the processor (default: the physical cores that the"
                            + " process may use).",
            order = OptionSections.MEMORY + 6)
    private Optional<Integer> threads = Optional.empty();

    @Option(
            names = "--threads-batch",
            paramLabel = "N",
            description = "Threads for prefill (default: as --threads).",
            order = OptionSections.MEMORY + 7)
    private Optional<Integer> threadsBatch = Optional.empty();

    @Option(
            names = {"-c", "--max-ctx"},
            paramLabel = "N",
            description =
                    "Maximum tokens of a sequence, prompt and response (default: the model's, at"
                            + " most 8192).",
            order = OptionSections.MEMORY + 1)
    private Optional<Integer> maxContext = Optional.empty();

    @Option(
            names = "--cache-type-k",
            paramLabel = "TYPE",
            converter = CacheType.class,
            completionCandidates = CacheType.class,
            defaultValue = "f16",
            description =
                    "Element type of cached keys. f16, bf16, f32, q8_0, q5_1, q5_0, q4_1 or q4_0.",
            order = OptionSections.MEMORY + 3)
    private GgmlType cacheTypeKey;

    @Option(
            names = "--cache-type-v",
            paramLabel = "TYPE",
            converter = CacheType.class,
            completionCandidates = CacheType.class,
            defaultValue = "f16",
            description =
                    "Element type of cached values. f16, bf16, f32, q8_0, q5_1, q5_0, q4_1 or"
                            + " q4_0.",
            order = OptionSections.MEMORY + 4)
    private GgmlType cacheTypeValue;

    @Option(
            names = "--weights",
            paramLabel = "auto|mmap|stream",
            description =
                    "Where weights of a processor are. auto: repacked where that is faster, in"
                        + " memory of this process; mmap: mapped from the file and shared between"
                        + " processes; stream: experts are read from the file when a step needs"
                        + " them, for models larger than memory.",
            order = OptionSections.MEMORY + 5)
    private Weights weights = Weights.AUTO;

    @Option(
            names = EXPERT_CACHE,
            paramLabel = "SIZE",
            description =
                    "Memory for experts with --weights stream (default: three fifths of what the"
                            + " other weights leave free). For example 8G.",
            order = OptionSections.MEMORY + 5)
    private Optional<String> expertCache = Optional.empty();

    @Option(
            names = EXPERT_USE,
            paramLabel = "DIR|off",
            description =
                    "Folder that records which experts of --weights stream are used most"
                            + " (default: experts in the cache folder). The next start reads these"
                            + " first. off: record and read nothing.",
            order = OptionSections.MEMORY + 5)
    private Optional<String> expertUse = Optional.empty();

    @Option(
            names = {"-fa", "--flash-attn"},
            paramLabel = "auto|on|off",
            description =
                    "Whether to compute attention as one operator. auto: if the device supports it"
                            + " for the model's heads and the cache types. Quantised cache types"
                            + " require it.",
            order = OptionSections.MEMORY + 6)
    private FlashAttention flashAttention = FlashAttention.AUTO;

    @Option(
            names = "--exact-rows",
            paramLabel = "auto|on|off",
            description =
                    "Whether responses are independent of load (batch invariance). auto: for weight"
                        + " types without a cost, and for all types up to 4 sequences; on: for all"
                        + " types, also for several tokens of one sequence, at down to half of the"
                        + " speed with many sequences; off. On processors only; see"
                        + " docs/numerics.md.",
            order = OptionSections.MEMORY + 8)
    private BatchInvariance exactRows = BatchInvariance.AUTO;

    @Option(
            names = "--yarn-beta-fast",
            paramLabel = "N",
            description =
                    "YaRN's upper bound in rotations, instead of the file's. For laguna, 32 gives"
                            + " the values of llama.cpp, regardless of the file.",
            order = OptionSections.RARE + 20)
    private Optional<Double> yarnBetaFast = Optional.empty();

    @Option(
            names = "--yarn-beta-slow",
            paramLabel = "N",
            description = "YaRN's lower bound in rotations, instead of the file's.",
            order = OptionSections.RARE + 21)
    private Optional<Double> yarnBetaSlow = Optional.empty();

    private final Instant begin = Instant.now();

    @Mixin private PlacementArguments placement;

    @Mixin private DraftArguments draft;

    @Mixin private ImageArguments images;

    @Mixin private LoraArguments lora;

    @Option(
            names = "--boundary-type",
            paramLabel = "f32|f16|bf16",
            description =
                    "Type of activations between shards in different processes. The two 16-bit"
                            + " types halve the traffic and round the values.",
            order = OptionSections.PROCESSES + 3)
    private BoundaryType boundaryType = BoundaryType.F32;

    @Mixin private TransportArguments transport;

    @Mixin private PluginOptions plugins;

    /** Sources of plugins and native libraries. */
    PluginSettings plugins(Environment environment) {
        return plugins.settings(environment);
    }

    ModelOption model() {
        return model;
    }

    /** Value of {@code --exact-rows} in lower case. */
    String exactRows() {
        return exactRows.name().toLowerCase(Locale.ROOT);
    }

    /** Settings for one sequence of the requested length. */
    ModelSettings settings() {
        return settings(new SequenceLimits(maxContext(), 1, OptionalInt.empty()));
    }

    /** Settings for one sequence of {@code context} tokens, unless a flag sets another number. */
    ModelSettings settingsFor(int context) {
        return settings(SequenceLimits.of(maxContext().orElse(context), 1));
    }

    /**
     * Settings for several sequences of {@code context} tokens, unless a flag sets another number.
     */
    ModelSettings settingsFor(int context, int parallel) {
        return settings(SequenceLimits.of(maxContext().orElse(context), parallel));
    }

    /** Whether flags ask for speculative decoding. */
    boolean drafts() {
        return draft.isAsked();
    }

    /** Whether flags name LoRA adapters. */
    boolean adapts() {
        return !lora.settings().isEmpty();
    }

    /** Whether speculative decoding may be used, with a demo model also by default. */
    boolean mayDraft(boolean isDemo) {
        return draft.isAsked() || isDemo && !draft.isOff();
    }

    /** Settings for several sequences. */
    ModelSettings settings(int parallel, OptionalInt kvTokens) {
        return settings(new SequenceLimits(maxContext(), parallel, kvTokens));
    }

    private ModelSettings settings(SequenceLimits sequences) {
        return new ModelSettings(
                sequences,
                new ComputeSettings(
                        new CacheTypes(cacheTypeKey, cacheTypeValue),
                        weights.layout(),
                        new Numerics(flashAttention, exactRows),
                        expertCacheBytes(),
                        expertUse()),
                modelOptions(),
                WaitingLimits.defaults(),
                HostCacheLimit.NONE);
    }

    private long expertCacheBytes() {
        if (expertCache.isEmpty()) {
            return 0;
        }
        if (weights != Weights.STREAM) {
            throw new IllegalArgumentException(EXPERT_CACHE + " requires --weights stream");
        }
        long bytes = ByteCount.parse(expertCache.get()).orElse(0);
        if (bytes == 0) {
            throw new IllegalArgumentException(
                    EXPERT_CACHE + ": expected a size such as 8G, found " + expertCache.get());
        }
        return bytes;
    }

    private ExpertUseFolder expertUse() {
        if (expertUse.isPresent() && weights != Weights.STREAM) {
            throw new IllegalArgumentException(EXPERT_USE + " requires --weights stream");
        }
        return expertUse
                .map(
                        folder ->
                                folder.equals("off")
                                        ? ExpertUseFolder.off()
                                        : ExpertUseFolder.in(Path.of(folder)))
                .orElseGet(ExpertUseFolder::inCache);
    }

    private OptionalInt maxContext() {
        return positive(maxContext, "--max-ctx");
    }

    /**
     * Returns all settings of a model to open.
     *
     * @param usualDraft whether the draft model that belongs to a model is used by default
     * @param compression settings of prompt compression
     */
    HostSettings host(
            ModelSettings settings,
            Environment environment,
            boolean usualDraft,
            Optional<CompressionSettings> compression) {
        PlacementRequest request = placement.request();
        ModelChoice choice = model.choose(environment);
        Optional<DraftSettings> guesses =
                draft.settings(
                        request,
                        usualDraft ? usualDraft(choice, environment) : Optional.empty(),
                        compression.isPresent());
        return host(
                choice,
                settings,
                environment,
                new Helpers(guesses, images.of(choice, environment), compression, lora.settings()));
    }

    /**
     * Returns all settings of one of several models.
     *
     * @param first whether {@code --draft} applies to it
     */
    HostSettings host(
            ModelChoice choice,
            boolean first,
            ModelSettings settings,
            Environment environment,
            Optional<CompressionSettings> compression) {
        PlacementRequest request = placement.request();
        Optional<Path> usual = usualDraft(choice, environment);
        boolean reads = compression.isPresent();
        return host(
                choice,
                settings,
                environment,
                new Helpers(
                        first
                                ? draft.settings(request, usual, reads)
                                : draft.settingsOfOther(request, usual, reads),
                        first
                                ? images.of(choice, environment)
                                : images.ofOther(choice, environment),
                        compression,
                        first ? lora.settings() : List.of()));
    }

    /** Models beside the one to open. */
    private record Helpers(
            Optional<DraftSettings> draft,
            Optional<ImageSettings> images,
            Optional<CompressionSettings> compression,
            List<LoraSettings> adapters) {}

    private Optional<Path> usualDraft(ModelChoice choice, Environment environment) {
        return exactRows == BatchInvariance.OFF ? Optional.empty() : choice.draft(environment);
    }

    private HostSettings host(
            ModelChoice choice, ModelSettings settings, Environment environment, Helpers helpers) {
        PlacementRequest request = placement.request();
        HostSettings host =
                new HostSettings(
                                choice.file(),
                                settings,
                                devices(request),
                                plugins.settings(environment),
                                processes(environment))
                        .with(helpers.adapters());
        HostSettings seeing =
                helpers.images().filter(each -> maySee(host)).map(host::with).orElse(host);
        HostSettings guessing = helpers.draft().map(seeing::with).orElse(seeing);
        return helpers.compression()
                .map(reader -> reader.with(draft.placement()))
                .map(guessing::with)
                .orElse(guessing);
    }

    /** A demo model reads images by default, but not if a drafter selects its pages. */
    private boolean maySee(HostSettings host) {
        return images.isAsked() || !host.readsPages();
    }

    private DeviceSettings devices(PlacementRequest request) {
        DeviceSettings named =
                new DeviceSettings(
                        request,
                        positive(threads, "--threads"),
                        positive(threadsBatch, "--threads-batch"));
        DeviceSettings devices = placement.fits(weights == Weights.AUTO) ? named.fitting() : named;
        // A model that is loaded again uses the measurements of this process.
        return placement.measuresAgain() ? devices.measuredSince(begin) : devices;
    }

    /** Opens the prefill drafter without a target model. */
    ProxyPrefillDrafter openDrafter(CompressionSettings compression, Environment environment) {
        draft.requireReading();
        PlacementRequest best = DeviceSettings.best().placement();
        return ProxyPrefillDrafter.open(
                compression.with(draft.placement()),
                devices(best),
                plugins.settings(environment),
                processes(environment),
                new ModelLoadLog(this));
    }

    private ShardProcessSettings processes(Environment environment) {
        Optional<Path> ggmlHome = placement.shardGgmlHome();
        return new ShardProcessSettings(
                command(environment, ggmlHome),
                placement.workFolder(),
                boundaryType,
                transport.options(environment));
    }

    private List<String> command(Environment environment, Optional<Path> ggmlHome) {
        List<String> command = new ArrayList<>();
        placement
                .shardLauncher()
                .or(() -> environment.home().map(home -> home.resolve("bin/varve")))
                .ifPresent(
                        launcher -> {
                            command.addAll(List.of(launcher.toString(), "shard"));
                            command.addAll(plugins.commandLine(ggmlHome));
                            command.addAll(List.of("--log-level", LogSetup.level().name()));
                        });
        return command;
    }

    /** Checks the flags of the draft model, once the devices are resolved. */
    void checkDraft(PlacementRequest request, Predicate<String> provided) {
        draft.requireProvided(request, provided);
    }

    private ModelOptions modelOptions() {
        return new ModelOptions(
                positiveNumber(yarnBetaFast, "--yarn-beta-fast"),
                positiveNumber(yarnBetaSlow, "--yarn-beta-slow"));
    }

    private static OptionalDouble positiveNumber(Optional<Double> value, String option) {
        if (value.isEmpty()) {
            return OptionalDouble.empty();
        }
        if (!(value.get() > 0 && value.get() < Float.MAX_VALUE)) {
            throw new UsageException(option + ": expected a number above 0, found " + value.get());
        }
        return OptionalDouble.of(value.get());
    }

    /** Checks that a number is positive if it is present. */
    static OptionalInt positive(Optional<Integer> value, String option) {
        if (value.isEmpty()) {
            return OptionalInt.empty();
        }
        if (value.get() < 1) {
            throw new UsageException(option + ": expected 1 or more, found " + value.get());
        }
        return OptionalInt.of(value.get());
    }
}
