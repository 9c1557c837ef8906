package dev.varve.plugin.gemma4;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.api.model.LayerRange;
import dev.varve.api.model.LayerSplitAdapter;
import dev.varve.api.model.ModelOptions;
import dev.varve.testkit.Gemma4Model;
import dev.varve.testkit.Qwen35Model;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Valid boundaries between the shards of a model with the layers of E2B: 35 layers, of which the
 * last 20 have no K and V rows of their own.
 */
class AlignmentTest {
    private static final int LAYERS = 35;

    @TempDir static Path folder;

    private static LayerSplitAdapter model;

    @BeforeAll
    static void open() throws Exception {
        Gemma4Model tiny = Gemma4Model.tiny();
        Qwen35Model.Size size = tiny.size();
        Gemma4Model.Attention attention = tiny.attention();
        List<Boolean> sliding =
                IntStream.range(0, LAYERS).mapToObj(layer -> layer % 5 != 4).toList();
        Gemma4Model deep =
                new Gemma4Model(
                        new Qwen35Model.Size(
                                LAYERS,
                                size.embedding(),
                                size.feedForward(),
                                size.vocabulary(),
                                size.context()),
                        new Gemma4Model.Attention(
                                sliding,
                                attention.window(),
                                attention.heads(),
                                attention.fullHeads(),
                                attention.kvHeads(),
                                attention.fullKvHeads(),
                                attention.headDim(),
                                attention.fullHeadDim(),
                                attention.valuesFromKeys(),
                                attention.fusedQkv()),
                        new Gemma4Model.Sharing(20, true),
                        tiny.perLayerWidth(),
                        tiny.experts(),
                        tiny.softcap(),
                        tiny.weights(),
                        tiny.chatTemplate());
        Path file = deep.write(folder);
        model = new Gemma4Family().open(GgufFile.open(file), ModelOptions.defaults());
    }

    @ParameterizedTest
    @CsvSource({"18, 13", "26, 13", "7, 7", "13, 13", "14, 13", "12 23, 12 13", "9 18 26, 9 12 13"})
    void boundariesMoveBeforeTheFirstSharedRows(String before, String after) {
        assertEquals(after, boundaries(model.align(ranges(before))));
    }

    @Test
    void unsplitModelIsUnchanged() {
        assertEquals("", boundaries(model.align(ranges(""))));
    }

    @Test
    void tooManyShardsAreRefusedWithTheMaximum() {
        String every =
                IntStream.rangeClosed(1, 14)
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(" "));

        VarveException refusal =
                assertThrows(VarveException.class, () -> model.align(ranges(every)));

        assertTrue(refusal.getMessage().contains("at most 14 shards"), refusal.getMessage());
    }

    private static List<LayerRange> ranges(String boundaries) {
        List<LayerRange> ranges = new ArrayList<>();
        int begin = 0;
        for (String boundary : boundaries.isEmpty() ? new String[0] : boundaries.split(" ")) {
            ranges.add(new LayerRange(begin, Integer.parseInt(boundary)));
            begin = Integer.parseInt(boundary);
        }
        ranges.add(new LayerRange(begin, LAYERS));
        return ranges;
    }

    private static String boundaries(List<LayerRange> ranges) {
        assertEquals(LAYERS, ranges.getLast().end(), Arrays.toString(ranges.toArray()));
        return ranges.stream()
                .skip(1)
                .map(range -> Integer.toString(range.begin()))
                .collect(Collectors.joining(" "));
    }
}
