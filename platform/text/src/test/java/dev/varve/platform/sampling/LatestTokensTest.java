package dev.varve.platform.sampling;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.stream.IntStream;

class LatestTokensTest {
    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 1, 7, 255, 256, 257, 400, 512, 1000, 5000})
    void keepsTheLatestTokens(int most) {
        int[] prompt = IntStream.range(0, 300).toArray();
        LatestTokens history = new LatestTokens(most);
        history.addAll(prompt);
        for (int count = 300; count <= 1500; count++) {
            if (count % 100 < 2) {
                int kept = most < 0 ? count : Math.min(most, count);
                int last = count - 1;
                assertArrayEquals(
                        IntStream.range(0, kept).map(i -> last - i).toArray(),
                        IntStream.range(0, history.length()).map(history::fromEnd).toArray());
            }
            history.add(count);
        }
    }
}
