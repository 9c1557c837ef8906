package dev.varve.platform.cli;

import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.host.DraftSettings;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.speculation.TreeOptions;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Predicate;

/** Options of speculative decoding: the speculator and the draft length. */
final class DraftArguments {
    private static final int SECTION = OptionSections.SPECULATION;

    @Option(
            names = "--draft",
            paramLabel = "FILE|mtp|NAME|off",
            description =
                    "Guess tokens, of which one step of the model checks several; answers stay the"
                        + " same. FILE: with a draft model (DFlash, DSpark, DFlash2) that was"
                        + " trained for this model, with its assistant (Gemma 4), or with a file of"
                        + " its block for multi-token prediction; mtp: with that block where the"
                        + " model's own file has it; ngram: as the text went on before, good for"
                        + " code, quotes and lists; the name of a plugin's speculator; or off.",
            order = SECTION)
    private Optional<String> draft = Optional.empty();

    @Option(
            names = "--draft-max",
            paramLabel = "N",
            description =
                    "Most tokens that are guessed of a sequence in a step (default: "
                            + DraftSettings.USUAL_MOST
                            + ", or as many as there can be; "
                            + DraftSettings.USUAL_MTP
                            + " with mtp and assistants). Requests may ask for fewer:"
                            + " draft_max, and \"speculative\": false for none.",
            order = SECTION + 1)
    private Optional<Integer> most = Optional.empty();

    @Option(
            names = "--draft-width",
            paramLabel = "auto|N",
            description =
                    "Guesses in a step: auto (default), as many as pay, by what steps take here and"
                            + " how often guesses are right, and none where none pays; N, always so"
                            + " many, at most --draft-max.",
            order = SECTION + 2)
    private Optional<String> width = Optional.empty();

    @Option(
            names = "--ddtree",
            paramLabel = "auto|always|off",
            arity = "0..1",
            fallbackValue = "auto",
            description =
                    "Let the guesses of a draft model branch, so that a step checks several for one"
                            + " place: auto (without a word), where that is measured to be faster"
                            + " than guesses one after the other; always; off (default).",
            order = SECTION + 5)
    private Optional<String> trees = Optional.empty();

    @Option(
            names = "--ddtree-budget",
            paramLabel = "N",
            description =
                    "Guesses of such a tree (default: "
                            + TreeOptions.USUAL
                            + ", at most "
                            + TreeOptions.MOST
                            + ").",
            order = SECTION + 6)
    private Optional<Integer> treeBudget = Optional.empty();

    @Option(
            names = "--draft-device",
            paramLabel = "DEVICE",
            description =
                    "Device of a draft model, and of one that reads prompts (default: the model's"
                            + " last one): cpu:0; vulkan:0@process, in a process that is started"
                            + " for it; cpu:0@unix:/path or cuda:0@grpc:host:port, in a varve shard"
                            + " that has the files. While that one is gone, tokens are not guessed"
                            + " and prompts not shortened.",
            order = SECTION + 3)
    private Optional<String> device = Optional.empty();

    @Option(
            names = "--draft-residency",
            paramLabel = "MODE",
            description =
                    "Whether a draft model, or one that reads prompts, stays in memory: auto"
                            + " (default), persistent, request-scoped (while requests run, or while"
                            + " a prompt is read).",
            order = SECTION + 4)
    private Optional<String> residency = Optional.empty();

    @Option(
            names = "--draft-ipc-bin",
            paramLabel = "FILE",
            description =
                    "Start this varve for a draft model, or one that reads prompts, on a backend"
                            + " that this installation has no plugin for.",
            order = OptionSections.RARE + 11)
    private Optional<Path> launcher = Optional.empty();

    @Option(
            names = "--draft-ipc-work-dir",
            paramLabel = "FOLDER",
            description = "Folder for the socket of a draft model's process.",
            order = OptionSections.RARE + 12)
    private Optional<Path> workFolder = Optional.empty();

    @Option(
            names = "--draft-ipc-ring-cap",
            paramLabel = "N",
            description =
                    "Positions of a sequence that a draft model in another process keeps (default:"
                            + " 4096).",
            order = OptionSections.RARE + 13)
    private Optional<Integer> ringCapacity = Optional.empty();

    /**
     * Returns the settings of speculative decoding; empty for none.
     *
     * @param usual draft model that is used without {@code --draft}
     * @param readsPrompts whether a prefill drafter is used
     * @throws IllegalArgumentException whose message begins with the wrong flag
     */
    Optional<DraftSettings> settings(
            PlacementRequest target, Optional<Path> usual, boolean readsPrompts) {
        DraftFlags flags = flags(draft.or(() -> usual.map(Path::toString)));
        flags.requireValid(readsPrompts);
        flags.requireFits(target);
        return flags.settings();
    }

    /**
     * Returns the settings of a model that {@code --draft} does not apply to: only {@code usual} is
     * used.
     *
     * @throws IllegalArgumentException whose message begins with the wrong flag
     */
    Optional<DraftSettings> settingsOfOther(
            PlacementRequest target, Optional<Path> usual, boolean readsPrompts) {
        if (isOff() || usual.isEmpty()) {
            return Optional.empty();
        }
        DraftFlags flags = flags(usual.map(Path::toString));
        flags.requireValid(readsPrompts);
        flags.requireFits(target);
        return flags.settings();
    }

    /**
     * Checks the flags that apply to a prefill drafter, without speculative decoding.
     *
     * @throws IllegalArgumentException whose message begins with the wrong flag
     */
    void requireReading() {
        flags().requireValid(true);
    }

    /**
     * Returns the settings of a prefill drafter with the device, residency and process of these
     * flags.
     */
    CompressionSettings placed(CompressionSettings reader) {
        DraftFlags flags = flags();
        return new CompressionSettings(
                reader.drafter(),
                reader.options(),
                flags.device(),
                reader.residency() == DraftSettings.Residency.PERSISTENT
                        ? reader.residency()
                        : flags.residency(),
                flags.apart(),
                reader.scoring());
    }

    /** Checks the draft device once the provided backends are known. */
    void requireProvided(PlacementRequest target, Predicate<String> provided) {
        flags().requireFits(target);
        flags().requireProvided(provided);
    }

    /** Whether the draft device is in a listening process that was started separately. */
    boolean reaches() {
        return flags().reaches();
    }

    /** Whether speculative decoding is off, also where it would be used by default. */
    boolean isOff() {
        return draft.filter(DraftFlags.OFF::equals).isPresent();
    }

    /** Whether flags ask for speculative decoding. */
    boolean isAsked() {
        return flags().settings().isPresent();
    }

    private DraftFlags flags() {
        return flags(draft);
    }

    private DraftFlags flags(Optional<String> source) {
        return new DraftFlags(
                source,
                new DraftFlags.Limits(
                        most, width, residency, new DraftFlags.Trees(trees, treeBudget)),
                device,
                new DraftFlags.Process(launcher, workFolder, ringCapacity));
    }
}
