package dev.varve.platform.cli;

import dev.varve.platform.host.CompressionSettings;

import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Optional;

/** Options of prompt compression. */
final class CompressionArguments {
    private static final System.Logger LOG = System.getLogger("dev.varve.cli");

    private static final int SECTION = OptionSections.COMPRESSION;

    @Option(
            names = CompressionFlags.MODE,
            paramLabel = "off|auto|always",
            description =
                    "Leave out what a small model finds not to matter of long prompts, before they"
                            + " are computed: auto, from --prefill-threshold on; always; off"
                            + " (default). What is left out the model never sees; answers tell."
                            + " Requests may ask otherwise: prefill_compression,"
                            + " prefill_keep_ratio. See docs/prompt-compression.md.",
            order = SECTION)
    private Optional<String> mode = Optional.empty();

    @Mixin private PrefillDrafterOption drafter;

    @Option(
            names = CompressionFlags.THRESHOLD,
            paramLabel = "N",
            description = "Tokens from which on auto compresses a prompt (default: 32000).",
            order = SECTION + 2)
    private Optional<Integer> threshold = Optional.empty();

    @Option(
            names = CompressionFlags.KEEP,
            paramLabel = "R",
            description =
                    "Part of a prompt that stays, above 0 and at most 1 (default: 0.05); more stays"
                            + " of what holds the question's words.",
            order = SECTION + 3)
    private Optional<String> keep = Optional.empty();

    @Option(
            names = CompressionFlags.CURVE,
            paramLabel = "T:R",
            split = ",",
            description =
                    "Likewise by the prompt's tokens, on straight lines between points, such as"
                            + " 10000:0.5,40000:0.2,100000:0.1; goes before a single ratio.",
            order = SECTION + 4)
    private List<String> curve = List.of();

    @Option(
            names = CompressionFlags.HOPS,
            description =
                    "What stays for its words may lead to further places by rare words of its own,"
                            + " for questions that need several steps.",
            order = OptionSections.RARE + 17)
    private boolean hops;

    @Option(
            names = CompressionFlags.ADAPTIVE,
            description =
                    "In conversations that a request names by session_id, let more or less of a"
                            + " whole prompt stay as fewer or more guesses of --draft are right"
                            + " (0.025 to 0.2, 0.1 at first). That one follows from the other is"
                            + " not shown.",
            order = OptionSections.RARE + 18)
    private boolean adaptive;

    @Option(
            names = CompressionFlags.FLOW,
            paramLabel = "on|off",
            description =
                    "Shorten long old messages of conversations one by one, each once, in the place"
                            + " of whole first prompts (default: off).",
            order = SECTION + 5)
    private Optional<String> flow = Optional.empty();

    @Option(
            names = CompressionFlags.FLOW_TOKENS,
            paramLabel = "N",
            description = "Tokens from which on a message is long (default: 4096).",
            order = SECTION + 6)
    private Optional<Integer> flowTokens = Optional.empty();

    @Option(
            names = CompressionFlags.SCORED,
            paramLabel = "N",
            description = "Only the last N layers of the drafter count (default: all).",
            order = OptionSections.RARE + 14)
    private Optional<Integer> scored = Optional.empty();

    @Option(
            names = CompressionFlags.EXIT,
            paramLabel = "N",
            description = "Only the first N layers of the drafter are computed (default: all).",
            order = OptionSections.RARE + 15)
    private Optional<Integer> exit = Optional.empty();

    @Option(
            names = CompressionFlags.SKIP_PARK,
            description =
                    "Let the drafter stay in memory; the same as --draft-residency persistent.",
            order = OptionSections.RARE + 16)
    private boolean skipPark;

    /**
     * Returns the settings; empty if prompts are not compressed.
     *
     * @param isDemo whether the model is a demo model, which has a demo drafter
     * @param reader drafter that scores pages; empty for none
     * @throws UsageException whose message begins with the wrong flag
     */
    Optional<CompressionSettings> settings(
            Environment environment, boolean isDemo, Optional<String> reader) {
        CompressionFlags flags = flags();
        // A demo model has a demo drafter.
        return drafter.named()
                .or(() -> reader)
                .or(() -> PrefillDrafterOption.named(Optional.empty(), flags.isAsked() && isDemo))
                .map(flags::reading)
                .orElse(flags)
                .settings(
                        name -> PrefillDrafterOption.file(name, environment),
                        new CompressionVariables(
                                environment, text -> LOG.log(Level.WARNING, text)));
    }

    /** Drafter that was named. */
    Optional<String> drafter() {
        return drafter.named();
    }

    /** Flags without environment variables. */
    CompressionFlags flags() {
        return new CompressionFlags(
                mode,
                drafter.named(),
                threshold,
                new CompressionFlags.Keep(keep, curve),
                new CompressionFlags.Flow(flow, flowTokens),
                new CompressionFlags.Layers(scored, exit),
                skipPark,
                adaptive,
                hops);
    }
}
