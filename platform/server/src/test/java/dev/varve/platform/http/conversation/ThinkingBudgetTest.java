package dev.varve.platform.http.conversation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Optional;
import java.util.OptionalInt;

class ThinkingBudgetTest {
    @ParameterizedTest
    @CsvSource({
        "LOW, 32768, 3584",
        "MEDIUM, 32768, 14336",
        "HIGH, 32768, 28672",
        "VERY_HIGH, 32768, 28672",
        "HIGH, 16384, 12288",
        "HIGH, 16383, 12287",
        "HIGH, 5, 3",
        "HIGH, 1, 0"
    })
    void atMost4096TokensAreReservedForTheContent(
            ReasoningEffort effort, int maxOutput, int budget) {
        ReasoningParameters thinking =
                new ReasoningParameters(
                        Optional.empty(),
                        Optional.of(effort),
                        OptionalInt.empty(),
                        OptionalInt.empty(),
                        true);

        assertEquals(OptionalInt.of(budget), thinking.budget(maxOutput));
    }
}
