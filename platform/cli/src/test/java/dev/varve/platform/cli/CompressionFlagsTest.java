package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.compression.CompressionMode;
import dev.varve.platform.compression.conversation.ConversationCompressionSettings;
import dev.varve.platform.compression.selection.AnchorSettings;
import dev.varve.platform.compression.selection.KeepRatio;
import dev.varve.platform.compression.selection.RecurringTokenSettings;
import dev.varve.platform.compression.selection.SelectionSettings;
import dev.varve.platform.host.CompressionSettings;
import dev.varve.platform.host.DraftPlacement;
import dev.varve.platform.shard.scoring.SparseAttention;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** The flags of prompt compression, as on a command line. */
class CompressionFlagsTest {
    private static final String READS = "--prefill-drafter small.gguf ";

    private final Map<String, String> variables = new HashMap<>();
    private final List<String> warnings = new ArrayList<>();

    private Optional<CompressionSettings> read(String flags) {
        CompressionArguments parsed = new CompressionArguments();
        new CommandLine(
                        CommandSpec.create()
                                .addMixin("compression", CommandSpec.forAnnotatedObject(parsed)))
                .parseArgs(flags.isBlank() ? new String[0] : flags.strip().split(" +"));
        return parsed.settings(
                parsed.drafter(),
                Path::of,
                new CompressionVariables(
                        new Environment(variables, Optional.empty(), Set.of()), warnings::add));
    }

    @Test
    void noFlagMeansNoCompression() {
        assertEquals(Optional.empty(), read(""));
        assertEquals(Optional.empty(), read("--prefill-compression off"));
    }

    @Test
    void omittedFlagsUseDefaults() {
        CompressionSettings settings = read(READS + "--prefill-compression auto").orElseThrow();

        assertEquals(Path.of("small.gguf"), settings.drafter());
        assertEquals(CompressionMode.AUTO, settings.options().mode());
        assertEquals(32_000, settings.options().thresholdTokens());
        assertEquals(new KeepRatio(0.05), settings.options().keep().at(50_000));
        assertEquals(4_096, settings.options().flow().leastMessageTokens());
        assertEquals(DraftPlacement.Residency.AUTO, settings.placement().residency());
        assertEquals(CompressionSettings.Scoring.USUAL, settings.scoring());
    }

    /** Requests may ask for it then. */
    @Test
    void drafterAloneCompressesOnRequest() {
        CompressionSettings settings = read(READS).orElseThrow();

        assertEquals(CompressionMode.OFF, settings.options().mode());
    }

    @Test
    void everyFlagIsAccepted() {
        CompressionSettings settings =
                read(READS
                                + "--prefill-compression always --prefill-threshold 0"
                                + " --prefill-keep-ratio 0.3 --flowkv on"
                                + " --flowkv-min-tokens 100 --prefill-score-layers 7"
                                + " --prefill-exit-layers 14 --prefill-skip-park")
                        .orElseThrow();

        assertEquals(CompressionMode.ALWAYS, settings.options().mode());
        assertEquals(0, settings.options().thresholdTokens());
        assertTrue(settings.options().byMessage());
        assertEquals(new KeepRatio(0.3), settings.options().keep().at(5));
        assertEquals(100, settings.options().flow().leastMessageTokens());
        assertEquals(OptionalInt.of(7), settings.scoring().lastLayers());
        assertEquals(OptionalInt.of(14), settings.scoring().exitLayers());
        assertEquals(DraftPlacement.Residency.PERSISTENT, settings.placement().residency());
    }

    @Test
    void defaultOffFeatureCanBeEnabled() {
        ConversationCompressionSettings usual = read(READS).orElseThrow().options();
        assertFalse(usual.adaptive());
        assertFalse(usual.selection().hops());

        ConversationCompressionSettings asked =
                read(READS + "--prefill-adaptive --prefill-hops").orElseThrow().options();

        assertTrue(asked.adaptive());
        assertTrue(asked.selection().hops());
    }

    @Test
    void environmentIsUsedWithoutFlags() {
        variables.put("DFLASH_COMPRESS_HEAD_CHUNKS", "2");
        variables.put("DFLASH_COMPRESS_TAIL_CHUNKS", " 3 ");
        variables.put("DFLASH_COMPRESS_QUERY_TOKENS", "48");
        variables.put("PFLASH_COMPRESS_ANCHOR_RADIUS", "0");
        variables.put("DFLASH_COMPRESS_ANCHOR_RADIUS", "7");
        variables.put("DFLASH_COMPRESS_MAX_ANCHOR_HITS", "5");
        variables.put("DFLASH_COMPRESS_REPEAT_MIN", "3");
        variables.put("PFLASH_DRAFTER_SCORE_LAYERS", "4");
        variables.put("PFLASH_DRAFTER_EARLY_EXIT_N", "9");
        variables.put("DFLASH_FP_NOPE_TAIL", "0");
        variables.put("DFLASH_FP_ALPHA", " 0.6 ");
        variables.put("PFLASH_FREEZE_HOT_WINDOW", "6");

        CompressionSettings settings = read(READS + "--prefill-score-layers 7").orElseThrow();

        SelectionSettings selection = settings.options().selection();
        assertEquals(new SelectionSettings.Edges(2, 3), selection.edges());
        assertEquals(
                new AnchorSettings(48, 4, OptionalInt.of(0), OptionalInt.of(5)),
                selection.anchors());
        assertEquals(
                Optional.of(new RecurringTokenSettings(3, 32, OptionalInt.empty())),
                selection.repeats());
        assertEquals(
                new CompressionSettings.Scoring(
                        OptionalInt.of(7),
                        OptionalInt.of(9),
                        true,
                        Optional.of(SparseAttention.of(0.6))),
                settings.scoring());
        assertEquals(6, settings.options().flow().hotMessages());
        assertEquals(List.of(), warnings);
    }

    @Test
    void invalidVariablesAreIgnored() {
        variables.put("DFLASH_COMPRESS_HEAD_CHUNKS", "-1");
        variables.put("PFLASH_COMPRESS_ANCHOR_RADIUS", "wide");
        variables.put("DFLASH_COMPRESS_ANCHOR_RADIUS", "7");

        SelectionSettings selection = read(READS).orElseThrow().options().selection();

        assertEquals(SelectionSettings.USUAL.edges(), selection.edges());
        assertEquals(OptionalInt.of(7), selection.anchors().radius());
        assertEquals(
                List.of(
                        "DFLASH_COMPRESS_HEAD_CHUNKS: expected 0 or more, found -1; Varve ignores"
                                + " it",
                        "PFLASH_COMPRESS_ANCHOR_RADIUS: expected 0 or more, found wide; Varve"
                                + " ignores it"),
                warnings);
    }

    @Test
    void attentionIsSparseUnlessTheEnvironmentDisablesIt() {
        assertEquals(Optional.of(SparseAttention.USUAL), sparse());
        for (String alpha : List.of("0", "1", "NaN", "wide")) {
            variables.put("DFLASH_FP_ALPHA", alpha);
            warnings.clear();

            assertEquals(Optional.of(SparseAttention.USUAL), sparse());
            assertEquals(
                    List.of(
                            "DFLASH_FP_ALPHA: expected more than 0 and less than 1, found "
                                    + alpha
                                    + "; Varve ignores it"),
                    warnings);
        }
        variables.put("DFLASH_FP_USE_BSA", "1");
        assertEquals(Optional.of(SparseAttention.USUAL), sparse());
        variables.put("DFLASH_FP_USE_BSA", "0");
        assertEquals(Optional.empty(), sparse());
    }

    private Optional<SparseAttention> sparse() {
        return read(READS).orElseThrow().scoring().sparse();
    }

    @Test
    void curveTakesPrecedenceOverARatio() {
        CompressionSettings settings =
                read(READS
                                + "--prefill-keep-ratio 1 --prefill-curve"
                                + " 10000:0.5,40000:0.2,100000:0.1")
                        .orElseThrow();

        assertEquals(0.5, settings.options().keep().at(1).value());
        assertEquals(0.35, settings.options().keep().at(25_000).value(), 1e-9);
        assertEquals(0.1, settings.options().keep().at(1 << 20).value());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    --prefill-compression yes | --prefill-compression: expected off, auto or always, found yes
                    --prefill-compression auto | --prefill-compression auto: needs --prefill-drafter
                    --prefill-drafter a --prefill-keep-ratio 0 | --prefill-keep-ratio: expected a number above 0
                    --prefill-drafter a --prefill-keep-ratio 1.01 | at most 1, found 1.01
                    --prefill-drafter a --prefill-keep-ratio NaN | found NaN
                    --prefill-drafter a --prefill-curve 10:0.5,10:0.2 | --prefill-curve: expected points T:R
                    --prefill-drafter a --prefill-curve 10:0 | --prefill-curve: expected points T:R
                    --prefill-drafter a --prefill-threshold -1 | --prefill-threshold: expected 0 or more
                    --prefill-drafter a --flowkv maybe | --flowkv: expected on or off, found maybe
                    --prefill-drafter a --flowkv-min-tokens 0 | --flowkv-min-tokens: expected 1 or more
                    --prefill-drafter a --prefill-score-layers 0 | --prefill-score-layers: expected 1 or more
                    --prefill-keep-ratio 0.5 | --prefill-keep-ratio: needs --prefill-drafter
                    --prefill-threshold 5 | --prefill-threshold: needs --prefill-drafter
                    --prefill-curve 5:0.5 | --prefill-curve: needs --prefill-drafter
                    --flowkv on | --flowkv: needs --prefill-drafter
                    --prefill-skip-park | --prefill-skip-park: needs --prefill-drafter
                    --prefill-adaptive | --prefill-adaptive: needs --prefill-drafter
                    --prefill-hops | --prefill-hops: needs --prefill-drafter
                    """)
    void invalidFlagsAreReported(String flags, String expected) {
        RuntimeException error = assertThrows(RuntimeException.class, () -> read(flags), flags);

        assertTrue(error.getMessage().contains(expected), error.getMessage());
    }
}
