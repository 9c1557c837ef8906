package dev.varve.platform.cli;

import dev.varve.api.VarveException;
import dev.varve.platform.host.DraftPlacement;
import dev.varve.platform.host.DraftSettings;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.speculation.TreeOptions;

import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;

/** Options of speculative decoding: the speculator and the draft length. */
final class DraftArguments {
    private static final int SECTION = OptionSections.SPECULATION;
    private static final String SOURCE = "--draft";
    private static final String MOST = "--draft-max";
    private static final String WIDTH = "--draft-width";
    private static final String TREES = "--ddtree";
    private static final String BUDGET = "--ddtree-budget";
    private static final String DEVICE = "--draft-device";
    private static final String RESIDENCY = "--draft-residency";
    private static final String LAUNCHER = "--draft-ipc-bin";
    private static final String WORK_FOLDER = "--draft-ipc-work-dir";
    private static final String RING_CAPACITY = "--draft-ipc-ring-cap";
    private static final String OFF = "off";
    private static final String AUTO = "auto";
    private static final String ALWAYS = "always";

    @Option(
            names = SOURCE,
            paramLabel = "FILE|mtp|NAME|off",
            description =
                    "Source of draft tokens for speculative decoding. One step of the model"
                        + " verifies several of them; responses stay the same. FILE: a draft model"
                        + " (DFlash, DSpark, DFlash2) that was trained for this model, its"
                        + " assistant (Gemma 4), or a file with its block for multi-token"
                        + " prediction; mtp: that block of the model's own file; ngram: n-grams of"
                        + " the text so far, good for code, quotes and lists; NAME: a plugin's"
                        + " speculator; or off.",
            order = SECTION)
    private Optional<String> draft = Optional.empty();

    @Option(
            names = MOST,
            paramLabel = "N",
            description =
                    "Maximum draft tokens of a sequence per step (default: depends on the source)."
                            + " 15, or as many as the source proposes; 3 with mtp and assistants."
                            + " Requests may lower it with draft_max, and disable draft tokens with"
                            + " \"speculative\": false.",
            order = SECTION + 1)
    private Optional<Integer> most = Optional.empty();

    @Option(
            names = WIDTH,
            paramLabel = "auto|N",
            description =
                    "Number of draft tokens that a step verifies (default: auto). auto: the number"
                        + " that gives the most tokens per second at the measured step times and"
                        + " acceptance rate, possibly none; N: always N, at most --draft-max.",
            order = SECTION + 2)
    private Optional<String> width = Optional.empty();

    @Option(
            names = TREES,
            paramLabel = "auto|always|off",
            arity = "0..1",
            fallbackValue = AUTO,
            description =
                    "Allow token trees from a draft model (default: off). A step then verifies"
                            + " several draft tokens for one position. auto, also without a value:"
                            + " where measurements show that a tree is faster than a chain.",
            order = SECTION + 5)
    private Optional<String> trees = Optional.empty();

    @Option(
            names = BUDGET,
            paramLabel = "N",
            description =
                    "Draft tokens per token tree (default: "
                            + TreeOptions.USUAL
                            + ", at most "
                            + TreeOptions.MOST
                            + ").",
            order = SECTION + 6)
    private Optional<Integer> treeBudget = Optional.empty();

    @Option(
            names = DEVICE,
            paramLabel = "DEVICE",
            description =
                    "Device of the draft model and of the prefill drafter (default: the model's"
                        + " last). Such as cpu:0; vulkan:0@process, in a process that the server"
                        + " starts; cpu:0@unix:/path or cuda:0@grpc:host:port, in a varve shard"
                        + " that has the files. While that process is down, the server decodes"
                        + " without draft tokens and does not compress prompts.",
            order = SECTION + 3)
    private Optional<String> device = Optional.empty();

    @Option(
            names = RESIDENCY,
            paramLabel = "auto|persistent|request-scoped",
            description =
                    "When the draft model and the prefill drafter are in memory (default: auto)."
                        + " persistent: always; request-scoped: the draft model while requests run,"
                        + " the prefill drafter while it scores a prompt.",
            order = SECTION + 4)
    private Optional<String> residency = Optional.empty();

    @Option(
            names = LAUNCHER,
            paramLabel = "FILE",
            description =
                    "Varve program for the draft model or prefill drafter. The server starts it for"
                            + " a backend without a plugin in this installation.",
            order = OptionSections.RARE + 11)
    private Optional<Path> launcher = Optional.empty();

    @Option(
            names = WORK_FOLDER,
            paramLabel = "FOLDER",
            description = "Folder for the socket of the draft model's process.",
            order = OptionSections.RARE + 12)
    private Optional<Path> workFolder = Optional.empty();

    @Option(
            names = RING_CAPACITY,
            paramLabel = "N",
            description =
                    "Positions of a sequence that a draft model in another process holds (default:"
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
        return settings(draft.or(() -> usual.map(Path::toString)), target, readsPrompts);
    }

    /**
     * Returns the settings of a model that {@code --draft} does not apply to: only {@code usual} is
     * used.
     *
     * @throws IllegalArgumentException whose message begins with the wrong flag
     */
    Optional<DraftSettings> settingsOfOther(
            PlacementRequest target, Optional<Path> usual, boolean readsPrompts) {
        return isOff() || usual.isEmpty()
                ? Optional.empty()
                : settings(usual.map(Path::toString), target, readsPrompts);
    }

    private Optional<DraftSettings> settings(
            Optional<String> source, PlacementRequest target, boolean readsPrompts) {
        requireValid(source, readsPrompts);
        requireFits(target);
        return settings(source);
    }

    private Optional<DraftSettings> settings(Optional<String> source) {
        return source.filter(given -> !given.equals(OFF))
                .map(given -> new DraftSettings(given, most(), width(), trees(), placement()));
    }

    /**
     * Checks the flags that apply to a prefill drafter, without speculative decoding.
     *
     * @throws IllegalArgumentException whose message begins with the wrong flag
     */
    void requireReading() {
        requireValid(draft, true);
    }

    /** Returns the device, residency and process of a draft model or prefill drafter. */
    DraftPlacement placement() {
        return new DraftPlacement(
                device,
                residency(),
                launcher,
                workFolder,
                ringCapacity.map(OptionalInt::of).orElse(OptionalInt.empty()));
    }

    /**
     * Checks that this process can use the draft's device, unless another process uses it.
     *
     * @param target resolved devices of the target
     * @param provided whether a plugin provides a backend
     * @throws IllegalArgumentException whose message begins with the wrong flag
     * @throws VarveException of kind UNAVAILABLE if no plugin provides the backend
     */
    void requireProvided(PlacementRequest target, Predicate<String> provided) {
        requireFits(target);
        DeviceReference named = reference();
        if (launcher.isEmpty()
                && named.isLocal()
                && !named.isAutomatic()
                && !provided.test(named.backend())) {
            throw new VarveException(
                    VarveException.Kind.UNAVAILABLE,
                    DEVICE
                            + ": no plugin provides device backend "
                            + named.backend()
                            + ", and "
                            + LAUNCHER
                            + " is not set");
        }
    }

    /** Whether speculative decoding is off, also where it would be used by default. */
    boolean isOff() {
        return draft.filter(OFF::equals).isPresent();
    }

    /** Whether flags ask for speculative decoding. */
    boolean isAsked() {
        return settings(draft).isPresent();
    }

    /**
     * Checks everything that does not depend on the backends.
     *
     * @param source {@code --draft}, or what is used without it
     * @param readsPrompts whether a prefill drafter is used, to which device and residency also
     *     apply
     */
    private void requireValid(Optional<String> source, boolean readsPrompts) {
        boolean apart = !reference().isLocal() || launcher.isPresent();
        if (width().orElse(0) > most().orElse(DraftSettings.MOST)) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "%s: expected %s or at most %d, as %s requires, found %d",
                            WIDTH,
                            AUTO,
                            most().getAsInt(),
                            MOST,
                            width().getAsInt()));
        }
        residency();
        trees();
        int kept = ringCapacity.orElse(1);
        if (kept < 1 || kept > DraftPlacement.LARGEST_CONTEXT) {
            throw new IllegalArgumentException(
                    RING_CAPACITY
                            + ": expected 1 to "
                            + DraftPlacement.LARGEST_CONTEXT
                            + ", found "
                            + kept);
        }
        requireApart(apart, workFolder.isPresent(), WORK_FOLDER);
        requireApart(apart, ringCapacity.isPresent(), RING_CAPACITY);
        if (source.isEmpty() || source.get().equals(OFF)) {
            requireAbsent(device.isPresent() && !readsPrompts, DEVICE, source);
            requireAbsent(most.isPresent(), MOST, source);
            requireAbsent(width.isPresent(), WIDTH, source);
            requireAbsent(residency.isPresent() && !readsPrompts, RESIDENCY, source);
            requireAbsent(trees.isPresent(), TREES, source);
            requireAbsent(launcher.isPresent() && !readsPrompts, LAUNCHER, source);
        }
    }

    private static void requireApart(boolean apart, boolean present, String flag) {
        if (present && !apart) {
            throw new IllegalArgumentException(
                    flag
                            + ": needs "
                            + LAUNCHER
                            + " or a "
                            + DEVICE
                            + " in another process, such as cpu:0@process");
        }
    }

    private static void requireAbsent(boolean present, String flag, Optional<String> source) {
        if (present) {
            throw new IllegalArgumentException(
                    flag
                            + ": needs "
                            + SOURCE
                            + source.map(off -> ", which is " + off).orElse("")
                            + "; without it there are no draft tokens");
        }
    }

    /**
     * Checks the draft's device against the target's.
     *
     * @param target resolved devices of the target; {@code auto} means its first backend
     */
    private void requireFits(PlacementRequest target) {
        String targetBackend = target.primary().backend();
        DeviceReference named = reference();
        if (launcher.isPresent()
                && (named.isAutomatic() || named.backend().equals(targetBackend))) {
            throw new IllegalArgumentException(
                    LAUNCHER
                            + ": only needed for mixed backends, but draft and target are both on "
                            + targetBackend);
        }
    }

    private OptionalInt most() {
        return most.isPresent()
                ? OptionalInt.of(tokens(MOST, most.get().toString(), ""))
                : OptionalInt.empty();
    }

    private OptionalInt width() {
        return width.isEmpty() || width.get().equals(AUTO)
                ? OptionalInt.empty()
                : OptionalInt.of(tokens(WIDTH, width.get(), AUTO + " or "));
    }

    private TreeOptions trees() {
        String use = trees.orElse(OFF);
        if (!use.equals(AUTO) && !use.equals(ALWAYS) && !use.equals(OFF)) {
            throw new IllegalArgumentException(
                    TREES + ": expected auto, always or off, found " + use);
        }
        if (use.equals(OFF)) {
            if (treeBudget.isPresent()) {
                throw new IllegalArgumentException(BUDGET + ": needs " + TREES);
            }
            return TreeOptions.OFF;
        }
        if (width().isPresent()) {
            throw new IllegalArgumentException(
                    WIDTH
                            + ": expected "
                            + AUTO
                            + " with "
                            + TREES
                            + ", which verifies all draft tokens of a tree, found "
                            + width().getAsInt());
        }
        int budget = treeBudget.orElse(TreeOptions.USUAL);
        if (budget < 1 || budget > TreeOptions.MOST) {
            throw new IllegalArgumentException(
                    BUDGET + ": expected 1 to " + TreeOptions.MOST + ", found " + budget);
        }
        return new TreeOptions(budget, use.equals(ALWAYS));
    }

    private static int tokens(String flag, String text, String others) {
        try {
            int tokens = Integer.parseInt(text);
            if (tokens >= 1 && tokens <= DraftSettings.MOST) {
                return tokens;
            }
        } catch (NumberFormatException e) {
            // Reported below.
        }
        throw new IllegalArgumentException(
                flag + ": expected " + others + "1 to " + DraftSettings.MOST + ", found " + text);
    }

    private DraftPlacement.Residency residency() {
        return residency.map(DraftArguments::parseResidency).orElse(DraftPlacement.Residency.AUTO);
    }

    private static DraftPlacement.Residency parseResidency(String text) {
        return Arrays.stream(DraftPlacement.Residency.values())
                .filter(each -> each.name().toLowerCase(Locale.ROOT).replace('_', '-').equals(text))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        RESIDENCY
                                                + ": expected auto, persistent or request-scoped,"
                                                + " found "
                                                + text));
    }

    private DeviceReference reference() {
        try {
            return DeviceReference.parse(device.orElse(PlacementArguments.DEFAULT_DEVICE));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(DEVICE + ": " + e.getMessage(), e);
        }
    }
}
