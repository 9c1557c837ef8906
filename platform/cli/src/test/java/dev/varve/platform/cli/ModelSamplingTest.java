package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.sampling.SamplingParameter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import picocli.CommandLine;

import java.util.List;
import java.util.OptionalLong;

class ModelSamplingTest {
    private static ModelSampling.Operator read(String... arguments) {
        ModelSampling flags = new ModelSampling();
        new CommandLine(CommandLine.Model.CommandSpec.forAnnotatedObject(flags))
                .parseArgs(arguments);
        return flags.values();
    }

    @Test
    void valuesOfAModelOverrideThoseOfAllModels() {
        ModelSampling.Operator operator =
                read(
                        "--temp",
                        "0.7",
                        "--seed",
                        "7",
                        "--model-sampling",
                        "a=temperature:0.2,top_p:0.9",
                        "--model-sampling",
                        "b=seed:-1");

        assertEquals(0.2, operator.server("a").get(SamplingParameter.TEMPERATURE), 1e-9);
        assertEquals(0.9, operator.server("a").get(SamplingParameter.TOP_P), 1e-9);
        assertEquals(OptionalLong.of(7), operator.server("a").seed());
        assertEquals(0.7, operator.server("b").get(SamplingParameter.TEMPERATURE), 1e-9);
        assertEquals(OptionalLong.empty(), operator.server("b").seed());
        assertEquals(OptionalLong.of(7), operator.server("c").seed());
    }

    @Test
    void unknownModelIsRefused() {
        ModelSampling.Operator operator = read("--model-sampling", "smal=temperature:0");

        UsageException failure =
                assertThrows(
                        UsageException.class,
                        () -> operator.requireKnown(List.of("small", "large")));

        assertEquals(
                "--model-sampling: expected one of the models small, large, found smal",
                failure.getMessage());
        operator.requireKnown(List.of("smal"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a             | expected the form ID=VALUES, found a",
                "a=temperature | expected a number after a colon",
                "a=heat:1      | expected one of temperature",
                "a=top_p:2     | --model-sampling top_p"
            })
    void wrongValuesAreRefused(String value, String expected) {
        UsageException failure =
                assertThrows(UsageException.class, () -> read("--model-sampling", value));

        assertTrue(failure.getMessage().contains(expected), failure.getMessage());
    }
}
