package dev.varve.platform.cli;

import dev.varve.platform.compression.selection.AnchorSettings;
import dev.varve.platform.compression.selection.RecurringTokenSettings;
import dev.varve.platform.compression.selection.SelectionSettings;
import dev.varve.platform.shard.scoring.SparseAttention;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * Environment variables of prompt compression, by the names that other programs use. Flags override
 * them. Variables may be meant for another program: an unusable value is ignored with a warning.
 */
final class CompressionVariables {
    static final String HEAD = "DFLASH_COMPRESS_HEAD_CHUNKS";
    static final String TAIL = "DFLASH_COMPRESS_TAIL_CHUNKS";
    static final String QUERY = "DFLASH_COMPRESS_QUERY_TOKENS";
    static final String REPEAT_CHUNKS = "DFLASH_COMPRESS_REPEAT_CHUNKS";
    static final String REPEAT_LEAST = "DFLASH_COMPRESS_REPEAT_MIN";
    static final String REPEAT_MOST = "DFLASH_COMPRESS_REPEAT_MAX";
    static final String SCORED = "PFLASH_DRAFTER_SCORE_LAYERS";
    static final String EXIT = "PFLASH_DRAFTER_EARLY_EXIT_N";
    static final String UNROTATED = "DFLASH_FP_NOPE_TAIL";
    static final String SPARSE = "DFLASH_FP_USE_BSA";
    static final String ALPHA = "DFLASH_FP_ALPHA";
    static final String HOT = "PFLASH_FREEZE_HOT_WINDOW";

    /** Prefixes of two programs' variables; the first overrides the second. */
    private static final String[] PREFIXES = {"PFLASH_", "DFLASH_"};

    private static final String RADIUS = "COMPRESS_ANCHOR_RADIUS";
    private static final String HITS = "COMPRESS_MAX_ANCHOR_HITS";

    private final Environment environment;
    private final Consumer<String> warnings;

    /**
     * @param warnings accepts a warning for each variable that cannot be used
     */
    CompressionVariables(Environment environment, Consumer<String> warnings) {
        this.environment = environment;
        this.warnings = warnings;
    }

    /**
     * Returns the selection settings with the values of the variables that are set.
     *
     * @param hops whether anchors lead to further ones
     */
    SelectionSettings selection(boolean hops) {
        SelectionSettings usual = SelectionSettings.USUAL;
        return new SelectionSettings(
                new SelectionSettings.Edges(
                        number(HEAD, 0).orElse(usual.edges().head()),
                        number(TAIL, 0).orElse(usual.edges().tail())),
                new AnchorSettings(
                        number(QUERY, 0).orElse(usual.anchors().queryTokens()),
                        usual.anchors().ngram(),
                        first(RADIUS),
                        first(HITS)),
                hops,
                repeats());
    }

    private Optional<RecurringTokenSettings> repeats() {
        OptionalInt chunks = number(REPEAT_CHUNKS, 0);
        OptionalInt least = number(REPEAT_LEAST, 1);
        OptionalInt most = number(REPEAT_MOST, 1);
        if (chunks.isEmpty() && least.isEmpty() && most.isEmpty()) {
            return Optional.empty();
        }
        int from = least.orElse(RecurringTokenSettings.USUAL.least());
        int to = Math.max(from, most.orElse(RecurringTokenSettings.USUAL.most()));
        return Optional.of(new RecurringTokenSettings(from, to, chunks));
    }

    /** Number of scored layers, if no flag sets it. */
    OptionalInt scoredLayers(OptionalInt flag) {
        return flag.isPresent() ? flag : number(SCORED, 1);
    }

    /** Number of computed layers, if no flag sets it. */
    OptionalInt exitLayers(OptionalInt flag) {
        return flag.isPresent() ? flag : number(EXIT, 1);
    }

    /** Whether scores depend on positions, so that near tokens weigh more. */
    boolean rotated() {
        return number(UNROTATED, 0).equals(OptionalInt.of(0));
    }

    /** Sparse attention of the drafter for long prompts; empty for none. */
    Optional<SparseAttention> sparse() {
        if (number(SPARSE, 0).equals(OptionalInt.of(0))) {
            return Optional.empty();
        }
        Optional<String> text = environment.variable(ALPHA).map(String::strip);
        Optional<Double> alpha = text.flatMap(CompressionVariables::part);
        if (alpha.isEmpty()) {
            text.ifPresent(
                    found ->
                            warnings.accept(
                                    ALPHA
                                            + ": expected more than 0 and less than 1, found "
                                            + found
                                            + "; Varve ignores it"));
        }
        return Optional.of(alpha.map(SparseAttention::of).orElse(SparseAttention.USUAL));
    }

    private static Optional<Double> part(String text) {
        try {
            return Optional.of(Double.valueOf(text)).filter(found -> found > 0 && found < 1);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Number of newest messages that are not compressed. */
    int hotMessages(int usual) {
        return number(HOT, 1).orElse(usual);
    }

    private OptionalInt first(String name) {
        for (String prefix : PREFIXES) {
            OptionalInt number = number(prefix + name, 0);
            if (number.isPresent()) {
                return number;
            }
        }
        return OptionalInt.empty();
    }

    private OptionalInt number(String name, int least) {
        Optional<String> text = environment.variable(name).map(String::strip);
        Optional<Integer> number =
                text.flatMap(PagingVariables::number).filter(found -> found >= least);
        if (number.isEmpty()) {
            text.ifPresent(
                    found ->
                            warnings.accept(
                                    name
                                            + ": expected "
                                            + least
                                            + " or more, found "
                                            + found
                                            + "; Varve ignores it"));
        }
        return number.map(OptionalInt::of).orElse(OptionalInt.empty());
    }
}
