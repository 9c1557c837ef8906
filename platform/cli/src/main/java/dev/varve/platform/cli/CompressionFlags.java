package dev.varve.platform.cli;

import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.compression.CompressionPolicy;
import dev.varve.platform.compression.KeepCurve;
import dev.varve.platform.compression.MessageCompressionSettings;
import dev.varve.platform.compression.conversation.CompressionOptions;
import dev.varve.platform.compression.selection.KeepRatio;
import dev.varve.platform.compression.selection.SelectionSettings;
import dev.varve.platform.compression.selection.TransitiveSettings;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.host.DraftSettings;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;

/**
 * Flags of prompt compression. A wrong value is an error.
 *
 * @param mode {@code --prefill-compression}
 * @param drafter {@code --prefill-drafter}
 * @param threshold {@code --prefill-threshold}
 * @param keep how much of a prompt is kept
 * @param flow whether messages are compressed one by one
 * @param layers layers of the drafter that are used
 * @param skipPark {@code --prefill-skip-park}
 * @param adaptive {@code --prefill-adaptive}
 * @param hops {@code --prefill-hops}
 */
record CompressionFlags(
        Optional<String> mode,
        Optional<String> drafter,
        Optional<Integer> threshold,
        Keep keep,
        Flow flow,
        Layers layers,
        boolean skipPark,
        boolean adaptive,
        boolean hops) {
    static final String MODE = "--prefill-compression";
    static final String DRAFTER = "--prefill-drafter";
    static final String THRESHOLD = "--prefill-threshold";
    static final String KEEP = "--prefill-keep-ratio";
    static final String CURVE = "--prefill-curve";
    static final String ADAPTIVE = "--prefill-adaptive";
    static final String HOPS = "--prefill-hops";
    static final String FLOW = "--flowkv";
    static final String FLOW_TOKENS = "--flowkv-min-tokens";
    static final String SCORED = "--prefill-score-layers";
    static final String SKIP_PARK = "--prefill-skip-park";
    static final String EXIT = "--prefill-exit-layers";

    CompressionFlags {
        Objects.requireNonNull(mode);
        Objects.requireNonNull(drafter);
        Objects.requireNonNull(threshold);
        Objects.requireNonNull(keep);
        Objects.requireNonNull(flow);
        Objects.requireNonNull(layers);
    }

    /**
     * Share of a prompt that is kept.
     *
     * @param ratio {@code --prefill-keep-ratio}
     * @param curve {@code --prefill-curve}
     */
    record Keep(Optional<String> ratio, List<String> curve) {
        static final Keep NONE = new Keep(Optional.empty(), List.of());
    }

    /**
     * Compression of messages one by one.
     *
     * @param use {@code --flowkv}
     * @param leastTokens {@code --flowkv-min-tokens}
     */
    record Flow(Optional<String> use, Optional<Integer> leastTokens) {
        static final Flow NONE = new Flow(Optional.empty(), Optional.empty());
    }

    /**
     * Layers of the drafter that are used.
     *
     * @param scored {@code --prefill-score-layers}
     * @param exit {@code --prefill-exit-layers}
     */
    record Layers(Optional<Integer> scored, Optional<Integer> exit) {
        static final Layers NONE = new Layers(Optional.empty(), Optional.empty());
    }

    /** Returns the same flags with a drafter. */
    CompressionFlags reading(String file) {
        return new CompressionFlags(
                mode, Optional.of(file), threshold, keep, flow, layers, skipPark, adaptive, hops);
    }

    /**
     * Whether a flag names a drafter or a compression mode other than off, so that a drafter is
     * used.
     */
    boolean isAsked() {
        return drafter.isPresent() || asked() != CompressionMode.OFF;
    }

    /** Returns the settings of prompt compression; empty for none. */
    Optional<CompressionSettings> settings(
            Function<String, Path> files, CompressionVariables variables) {
        CompressionPolicy policy = policy();
        KeepCurve curve = curve();
        MessageCompressionSettings usual = MessageCompressionSettings.USUAL;
        MessageCompressionSettings messages =
                new MessageCompressionSettings(
                        variables.hotMessages(usual.hotMessages()),
                        usual.waitingTokens(),
                        positive(flow.leastTokens(), FLOW_TOKENS)
                                .orElse(usual.leastMessageTokens()),
                        usual.leastBandTokens());
        CompressionSettings.Scoring scoring =
                new CompressionSettings.Scoring(
                        variables.scoredLayers(positive(layers.scored(), SCORED)),
                        variables.exitLayers(positive(layers.exit(), EXIT)),
                        variables.rotated(),
                        variables.sparse());
        if (drafter.isEmpty()) {
            if (policy.mode() != CompressionMode.OFF) {
                throw new UsageException(
                        MODE
                                + " "
                                + policy.mode().word()
                                + ": needs "
                                + DRAFTER
                                + ", a small model that reads prompts");
            }
            requireUnset();
            return Optional.empty();
        }
        CompressionSettings settings =
                CompressionSettings.of(
                        files.apply(drafter.get()),
                        CompressionOptions.of(policy)
                                .with(curve)
                                .with(messages)
                                .with(selection(variables))
                                .withAdaptive(adaptive));
        return Optional.of(
                new CompressionSettings(
                        settings.drafter(),
                        settings.options(),
                        settings.device(),
                        skipPark ? DraftSettings.Residency.PERSISTENT : settings.residency(),
                        settings.process(),
                        scoring));
    }

    private SelectionSettings selection(CompressionVariables variables) {
        SelectionSettings selection = variables.selection(SelectionSettings.USUAL);
        return hops ? selection.withTransitive(TransitiveSettings.USUAL) : selection;
    }

    private CompressionMode asked() {
        try {
            return mode.map(CompressionMode::parse).orElse(CompressionMode.OFF);
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    MODE + ": expected off, auto or always, found " + mode.orElseThrow());
        }
    }

    private CompressionPolicy policy() {
        int tokens = threshold.orElse(CompressionPolicy.USUAL.thresholdTokens());
        if (tokens < 0) {
            throw new UsageException(THRESHOLD + ": expected 0 or more tokens, found " + tokens);
        }
        return new CompressionPolicy(asked(), tokens, byMessage());
    }

    private boolean byMessage() {
        return switch (flow.use().orElse("off")) {
            case "on" -> true;
            case "off" -> false;
            default ->
                    throw new UsageException(
                            FLOW + ": expected on or off, found " + flow.use().orElseThrow());
        };
    }

    private KeepCurve curve() {
        Optional<KeepRatio> ratio = keep.ratio().map(text -> ratio(KEEP, text));
        List<String> points = new ArrayList<>();
        keep.curve().forEach(words -> points.addAll(List.of(words.trim().split("[,\\s]+"))));
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

    /** Parses a keep ratio of the command line. */
    static KeepRatio ratio(String flag, String text) {
        try {
            return KeepRatio.parse(text);
        } catch (IllegalArgumentException e) {
            throw new UsageException(
                    flag + ": expected a number above 0 and at most 1, found " + text);
        }
    }

    private static OptionalInt positive(Optional<Integer> value, String flag) {
        return ModelLoadArguments.positive(value, flag);
    }

    private void requireUnset() {
        requireUnset(threshold.isPresent(), THRESHOLD);
        requireUnset(keep.ratio().isPresent(), KEEP);
        requireUnset(!keep.curve().isEmpty(), CURVE);
        requireUnset(flow.use().filter("on"::equals).isPresent(), FLOW);
        requireUnset(flow.leastTokens().isPresent(), FLOW_TOKENS);
        requireUnset(layers.scored().isPresent(), SCORED);
        requireUnset(layers.exit().isPresent(), EXIT);
        requireUnset(skipPark, SKIP_PARK);
        requireUnset(adaptive, ADAPTIVE);
        requireUnset(hops, HOPS);
    }

    private static void requireUnset(boolean set, String flag) {
        if (set) {
            throw new UsageException(
                    flag + ": needs " + DRAFTER + "; without it no prompt becomes shorter");
        }
    }
}
