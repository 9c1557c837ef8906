package dev.varve.platform.cli;

import dev.varve.platform.host.DraftProcessSettings;
import dev.varve.platform.host.DraftSettings;
import dev.varve.platform.placement.DeviceReference;
import dev.varve.platform.placement.PlacementRequest;
import dev.varve.platform.placement.ProcessLocation;
import dev.varve.platform.speculation.TreeOptions;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;

/**
 * Flags of speculative decoding.
 *
 * @param source {@code --draft}
 * @param limits draft length, and residency of the draft model
 * @param device {@code --draft-device}
 * @param process process of the draft model, if it has its own
 */
record DraftFlags(
        Optional<String> source, Limits limits, Optional<String> device, Process process) {
    /** Value of {@code --draft} that turns speculative decoding off. */
    static final String OFF = "off";

    private static final String SOURCE = "--draft";
    private static final String DEVICE = "--draft-device";
    private static final String MOST = "--draft-max";
    private static final String WIDTH = "--draft-width";
    private static final String RESIDENCY = "--draft-residency";
    private static final String LAUNCHER = "--draft-ipc-bin";
    private static final String AUTO = "auto";
    private static final String ALWAYS = "always";
    private static final String TREES = "--ddtree";
    private static final String BUDGET = "--ddtree-budget";

    DraftFlags {
        Objects.requireNonNull(source);
        Objects.requireNonNull(limits);
        Objects.requireNonNull(device);
        Objects.requireNonNull(process);
    }

    /**
     * Limits of speculative decoding.
     *
     * @param most {@code --draft-max}
     * @param width {@code --draft-width}
     * @param residency {@code --draft-residency}
     * @param trees whether draft tokens form trees
     */
    record Limits(
            Optional<Integer> most,
            Optional<String> width,
            Optional<String> residency,
            Trees trees) {
        static final Limits NONE =
                new Limits(Optional.empty(), Optional.empty(), Optional.empty(), Trees.NONE);
    }

    /**
     * Token trees.
     *
     * @param use {@code --ddtree}, with or without a value
     * @param budget {@code --ddtree-budget}
     */
    record Trees(Optional<String> use, Optional<Integer> budget) {
        static final Trees NONE = new Trees(Optional.empty(), Optional.empty());
    }

    /**
     * Separate process of the draft model.
     *
     * @param launcher {@code --draft-ipc-bin}
     * @param workFolder {@code --draft-ipc-work-dir}
     * @param ringCapacity {@code --draft-ipc-ring-cap}
     */
    record Process(
            Optional<Path> launcher, Optional<Path> workFolder, Optional<Integer> ringCapacity) {
        static final Process NONE =
                new Process(Optional.empty(), Optional.empty(), Optional.empty());
    }

    /**
     * Checks everything that does not depend on the backends.
     *
     * @param readsPrompts whether a prefill drafter is used, to which device and residency also
     *     apply
     * @throws IllegalArgumentException whose message begins with the wrong flag
     */
    void requireValid(boolean readsPrompts) {
        reference();
        if (width().orElse(0) > most().orElse(DraftSettings.MOST)) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "%s: expected %s or at most %d, as %s has it, found %d",
                            WIDTH,
                            AUTO,
                            most().getAsInt(),
                            MOST,
                            width().getAsInt()));
        }
        residency();
        trees();
        int kept = process.ringCapacity().orElse(1);
        if (kept < 1 || kept > DraftProcessSettings.LARGEST_CONTEXT) {
            throw new IllegalArgumentException(
                    "--draft-ipc-ring-cap: expected 1 to "
                            + DraftProcessSettings.LARGEST_CONTEXT
                            + ", found "
                            + kept);
        }
        boolean apart = process.launcher().isPresent() || !reference().isLocal();
        requireApart(apart, process.workFolder().isPresent(), "--draft-ipc-work-dir");
        requireApart(apart, process.ringCapacity().isPresent(), "--draft-ipc-ring-cap");
        if (!guesses()) {
            requireAbsent(device.isPresent() && !readsPrompts, DEVICE);
            requireAbsent(limits.most().isPresent(), MOST);
            requireAbsent(limits.width().isPresent(), WIDTH);
            requireAbsent(limits.residency().isPresent() && !readsPrompts, RESIDENCY);
            requireAbsent(limits.trees().use().isPresent(), TREES);
            requireAbsent(process.launcher().isPresent() && !readsPrompts, LAUNCHER);
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

    private boolean guesses() {
        return source.isPresent() && !source.get().equals(OFF);
    }

    private void requireAbsent(boolean present, String flag) {
        if (present) {
            throw new IllegalArgumentException(
                    flag
                            + ": needs "
                            + SOURCE
                            + source.map(off -> ", which is " + off).orElse("")
                            + "; nothing is guessed without it");
        }
    }

    /**
     * Checks the draft's device against the target's.
     *
     * @param target resolved devices of the target; {@code auto} means its first backend
     * @throws IllegalArgumentException whose message begins with the wrong flag
     */
    void requireFits(PlacementRequest target) {
        String targetBackend = target.primary().backend();
        DeviceReference draft = reference();
        if (process.launcher().isPresent()
                && (draft.isAutomatic() || draft.backend().equals(targetBackend))) {
            throw new IllegalArgumentException(
                    LAUNCHER
                            + ": only needed for mixed backends, and draft and target are both on "
                            + targetBackend);
        }
    }

    /**
     * Checks that this process can use the draft's device, unless another process uses it.
     *
     * @param provided whether a plugin provides a backend
     * @throws IllegalArgumentException whose message begins with the wrong flag
     */
    void requireProvided(Predicate<String> provided) {
        DeviceReference draft = reference();
        if (process.launcher().isEmpty()
                && draft.isLocal()
                && !draft.isAutomatic()
                && !provided.test(draft.backend())) {
            throw new IllegalArgumentException(
                    DEVICE
                            + ": no plugin provides device backend "
                            + draft.backend()
                            + ", and no "
                            + LAUNCHER
                            + " is given");
        }
    }

    /** Returns the settings; empty without speculative decoding. */
    Optional<DraftSettings> settings() {
        return source.filter(given -> guesses())
                .map(
                        given ->
                                new DraftSettings(
                                        given,
                                        device,
                                        most(),
                                        width(),
                                        trees(),
                                        residency(),
                                        apart()));
    }

    /** Whether the device is in a listening process that was started separately. */
    boolean reaches() {
        return reference().site() instanceof ProcessLocation.Listening;
    }

    /** Settings of the separate process of a draft model or prefill drafter. */
    DraftProcessSettings apart() {
        return new DraftProcessSettings(
                process.launcher(),
                process.workFolder(),
                process.ringCapacity().map(OptionalInt::of).orElse(OptionalInt.empty()));
    }

    private OptionalInt most() {
        return limits.most().isPresent()
                ? OptionalInt.of(tokens(MOST, limits.most().get().toString(), ""))
                : OptionalInt.empty();
    }

    private OptionalInt width() {
        return limits.width().isEmpty() || limits.width().get().equals(AUTO)
                ? OptionalInt.empty()
                : OptionalInt.of(tokens(WIDTH, limits.width().get(), AUTO + " or "));
    }

    private TreeOptions trees() {
        Trees trees = limits.trees();
        String use = trees.use().orElse(OFF);
        if (!use.equals(AUTO) && !use.equals(ALWAYS) && !use.equals(OFF)) {
            throw new IllegalArgumentException(
                    TREES + ": expected auto, always or off, found " + use);
        }
        if (use.equals(OFF)) {
            if (trees.budget().isPresent()) {
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
                            + ", which checks all guesses of a tree, found "
                            + width().getAsInt());
        }
        int budget = trees.budget().orElse(TreeOptions.USUAL);
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

    /** Whether a draft model stays in memory. */
    DraftSettings.Residency residency() {
        if (limits.residency().isEmpty()) {
            return DraftSettings.Residency.AUTO;
        }
        String text = limits.residency().get();
        return Arrays.stream(DraftSettings.Residency.values())
                .filter(each -> word(each).equals(text))
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        RESIDENCY
                                                + ": expected auto, persistent or request-scoped,"
                                                + " found "
                                                + text));
    }

    private static String word(DraftSettings.Residency residency) {
        return residency.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private DeviceReference reference() {
        try {
            return DeviceReference.parse(device.orElse(PlacementFlags.DEFAULT_DEVICE));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException(DEVICE + ": " + e.getMessage(), e);
        }
    }
}
