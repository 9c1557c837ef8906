package dev.varve.platform.cli;

import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.compression.KeepCurve;
import dev.varve.platform.compression.MessageCompressionSettings;
import dev.varve.platform.compression.conversation.ConversationCompressionSettings;
import dev.varve.platform.compression.selection.KeepRatio;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.host.DraftPlacement;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Options of prompt compression. */
final class CompressionArguments {
    private static final System.Logger LOG = System.getLogger("dev.varve.cli");

    private static final int SECTION = OptionSections.COMPRESSION;
    private static final String THRESHOLD = "--prefill-threshold";
    private static final String KEEP = "--prefill-keep-ratio";
    private static final String CURVE = "--prefill-curve";
    private static final String HOPS = "--prefill-hops";
    private static final String FLOW = "--flowkv";
    private static final String FLOW_TOKENS = "--flowkv-min-tokens";
    private static final String SCORED = "--prefill-score-layers";
    private static final String EXIT = "--prefill-exit-layers";
    private static final String SKIP_PARK = "--prefill-skip-park";

    /** Option of the mode. */
    static final String MODE = "--prefill-compression";

    /** Option that adapts the keep ratio to accepted draft tokens. */
    static final String ADAPTIVE = "--prefill-adaptive";

    @Option(
            names = MODE,
            paramLabel = "off|auto|always",
            description =
                    "Remove unimportant parts of long prompts before prefill (default: off). A"
                            + " small model (--prefill-drafter) scores the parts. auto: from"
                            + " --prefill-threshold on. The model does not see removed text; each"
                            + " response reports the removal. Requests may override it:"
                            + " prefill_compression, prefill_keep_ratio. See"
                            + " docs/prompt-compression.md.",
            order = SECTION)
    private Optional<String> mode = Optional.empty();

    @Mixin private PrefillDrafterOption drafter;

    @Option(
            names = THRESHOLD,
            paramLabel = "N",
            description = "Prompt length in tokens from which on auto compresses (default: 32000).",
            order = SECTION + 2)
    private Optional<Integer> threshold = Optional.empty();

    @Option(
            names = KEEP,
            paramLabel = "R",
            description =
                    "Share of a prompt that remains, above 0 and at most 1 (default: 0.05). More"
                            + " remains of parts that contain words of the question.",
            order = SECTION + 3)
    private Optional<String> keep = Optional.empty();

    @Option(
            names = CURVE,
            paramLabel = "T:R",
            split = ",",
            description =
                    "Share of a prompt that remains, by its length; instead of"
                        + " --prefill-keep-ratio. Interpolated between points of tokens and share,"
                        + " such as 10000:0.5,40000:0.2,100000:0.1.",
            order = SECTION + 4)
    private List<String> curve = List.of();

    @Option(
            names = HOPS,
            description =
                    "Also keep parts that share rare words with the kept ones. For questions that"
                            + " need several steps.",
            order = OptionSections.RARE + 17)
    private boolean hops;

    @Option(
            names = ADAPTIVE,
            description =
                    "Adapt the share that remains of a prompt in a conversation (experimental). The"
                        + " conversations are those that requests identify with session_id, the"
                        + " share is 0.025 to 0.2, initially 0.1: lower when more draft tokens of"
                        + " --draft are accepted, higher when fewer are. No measurement shows that"
                        + " acceptance predicts the right share.",
            order = OptionSections.RARE + 18)
    private boolean adaptive;

    @Option(
            names = FLOW,
            paramLabel = "on|off",
            description =
                    "Compress old messages one by one instead of whole prompts (default: off). Each"
                            + " long message of a conversation is compressed once.",
            order = SECTION + 5)
    private Optional<String> flow = Optional.empty();

    @Option(
            names = FLOW_TOKENS,
            paramLabel = "N",
            description =
                    "Message length in tokens from which on a message is compressed (default:"
                            + " 4096).",
            order = SECTION + 6)
    private Optional<Integer> flowTokens = Optional.empty();

    @Option(
            names = SCORED,
            paramLabel = "N",
            description =
                    "Use the scores of only the last N layers of the prefill drafter (default:"
                            + " all).",
            order = OptionSections.RARE + 14)
    private Optional<Integer> scored = Optional.empty();

    @Option(
            names = EXIT,
            paramLabel = "N",
            description = "Compute only the first N layers of the prefill drafter (default: all).",
            order = OptionSections.RARE + 15)
    private Optional<Integer> exit = Optional.empty();

    @Option(
            names = SKIP_PARK,
            description =
                    "Keep the prefill drafter in memory; the same as --draft-residency persistent.",
            order = OptionSections.RARE + 16)
    private boolean skipPark;

    /** Drafter that was named. */
    Optional<String> drafter() {
        return drafter.named();
    }

    /**
     * Returns the settings; empty if prompts are not compressed.
     *
     * @param isDemo whether the model is a demo model, which has a demo drafter
     * @param reader drafter that scores pages; empty for none
     * @throws UsageException whose message begins with the wrong flag
     */
    Optional<CompressionSettings> settings(
            Environment environment, boolean isDemo, Optional<String> reader) {
        Optional<String> named =
                drafter.named()
                        .or(() -> reader)
                        .or(
                                () ->
                                        PrefillDrafterOption.named(
                                                Optional.empty(),
                                                mode() != CompressionMode.OFF && isDemo));
        return settings(
                named,
                name -> PrefillDrafterOption.file(name, environment),
                new CompressionVariables(environment, text -> LOG.log(Level.WARNING, text)));
    }

    /**
     * Returns the settings; empty if prompts are not compressed.
     *
     * @param named name of the drafter, if there is one
     * @param files finds the file of a drafter
     * @param variables apply where no flag does
     * @throws UsageException whose message begins with the wrong flag
     */
    Optional<CompressionSettings> settings(
            Optional<String> named, Function<String, Path> files, CompressionVariables variables) {
        int tokens = threshold.orElse(ConversationCompressionSettings.USUAL.thresholdTokens());
        if (tokens < 0) {
            throw new UsageException(THRESHOLD + ": expected 0 or more tokens, found " + tokens);
        }
        CompressionMode chosen = mode();
        boolean byMessage = byMessage();
        KeepCurve keepCurve = keepCurve();
        MessageCompressionSettings messages = messages(variables);
        CompressionSettings.Scoring scoring =
                new CompressionSettings.Scoring(
                        variables.scoredLayers(ModelLoadArguments.positive(scored, SCORED)),
                        variables.exitLayers(ModelLoadArguments.positive(exit, EXIT)),
                        variables.rotated(),
                        variables.sparse());
        if (named.isEmpty()) {
            requireNothing(chosen);
            return Optional.empty();
        }
        return Optional.of(
                new CompressionSettings(
                        files.apply(named.get()),
                        new ConversationCompressionSettings(
                                chosen,
                                tokens,
                                byMessage,
                                keepCurve,
                                variables.selection(hops),
                                messages,
                                adaptive),
                        skipPark
                                ? DraftPlacement.USUAL.with(DraftPlacement.Residency.PERSISTENT)
                                : DraftPlacement.USUAL,
                        scoring));
    }

    private MessageCompressionSettings messages(CompressionVariables variables) {
        MessageCompressionSettings usual = MessageCompressionSettings.USUAL;
        return new MessageCompressionSettings(
                variables.hotMessages(usual.hotMessages()),
                usual.waitingTokens(),
                ModelLoadArguments.positive(flowTokens, FLOW_TOKENS)
                        .orElse(usual.leastMessageTokens()));
    }

    private CompressionMode mode() {
        try {
            return mode.map(CompressionMode::parse).orElse(CompressionMode.OFF);
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    MODE + ": expected off, auto or always, found " + mode.orElseThrow());
        }
    }

    private boolean byMessage() {
        return switch (flow.orElse("off")) {
            case "on" -> true;
            case "off" -> false;
            default ->
                    throw new UsageException(
                            FLOW + ": expected on or off, found " + flow.orElseThrow());
        };
    }

    private KeepCurve keepCurve() {
        Optional<KeepRatio> ratio = keep.map(text -> ratio(KEEP, text));
        List<String> points = new ArrayList<>();
        curve.forEach(words -> points.addAll(List.of(words.trim().split("[,\\s]+"))));
        if (points.isEmpty()) {
            return ratio.map(KeepCurve::flat).orElse(KeepCurve.USUAL);
        }
        try {
            return KeepCurve.parse(points);
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    CURVE + ": " + e.getMessage().replaceFirst("^keep curve: ", ""));
        }
    }

    /**
     * Parses a keep ratio.
     *
     * @throws UsageException whose message begins with the flag
     */
    static KeepRatio ratio(String flag, String text) {
        try {
            return KeepRatio.parse(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    flag + ": expected a number above 0 and at most 1, found " + text);
        }
    }

    /** Rejects flags that need a drafter. */
    private void requireNothing(CompressionMode chosen) {
        if (chosen != CompressionMode.OFF) {
            throw new UsageException(
                    MODE
                            + " "
                            + chosen.word()
                            + ": needs "
                            + PrefillDrafterOption.FLAG
                            + ", a small model that scores prompts");
        }
        requireUnset(threshold.isPresent(), THRESHOLD);
        requireUnset(keep.isPresent(), KEEP);
        requireUnset(!curve.isEmpty(), CURVE);
        requireUnset(byMessage(), FLOW);
        requireUnset(flowTokens.isPresent(), FLOW_TOKENS);
        requireUnset(scored.isPresent(), SCORED);
        requireUnset(exit.isPresent(), EXIT);
        requireUnset(skipPark, SKIP_PARK);
        requireUnset(adaptive, ADAPTIVE);
        requireUnset(hops, HOPS);
    }

    private static void requireUnset(boolean set, String flag) {
        if (set) {
            throw new UsageException(
                    flag
                            + ": needs "
                            + PrefillDrafterOption.FLAG
                            + "; without it no prompt is compressed");
        }
    }
}
