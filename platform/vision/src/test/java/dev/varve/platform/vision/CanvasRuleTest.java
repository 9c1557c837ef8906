package dev.varve.platform.vision;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.IOException;
import java.util.List;

class CanvasRuleTest {
    static List<VisionGolden.Size> sizes() throws IOException {
        return VisionGolden.sizes();
    }

    @ParameterizedTest
    @MethodSource("sizes")
    void canvasAndTokensAreThoseOfTheReference(VisionGolden.Size size) {
        CanvasRule rule = rule(size);

        CanvasSize canvas = rule.canvas(size.width(), size.height());

        assertArrayEquals(size.canvas(), new int[] {canvas.width(), canvas.height()});
        assertEquals(size.tokens(), rule.tokens(canvas));
    }

    private static CanvasRule rule(VisionGolden.Size size) {
        boolean qwen = size.projector().equals("qwen3vl");
        int[] limits = size.limits();
        if (limits.length == 0) {
            limits = qwen ? new int[] {8, 4096} : new int[] {70, 1120};
        }
        return new CanvasRule(qwen ? 32 : 48, limits[0], limits[1]);
    }

    @Test
    void productsOfLargeSidesDoNotOverflow() {
        CanvasSize canvas = new CanvasRule(32, 8, 4096).canvas(65_535, 65_535);

        assertEquals(new CanvasSize(2048, 2048), canvas);
    }

    @Test
    void limitsInTheWrongOrderAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new CanvasRule(32, 9, 8));
    }
}
